"""Strings that Kubernetes gives a grammar to: names, labels, quantities, durations, image references.

Each is an annotated `str` that keeps what the user wrote; functions turn it into numbers where numbers are needed.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

_DNS_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_NAME = r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"
_QUANTITY = re.compile(r"(?P<number>\d+(\.\d+)?|\.\d+)(?P<suffix>[KMGTPE]i|[numkMGTPE]|[eE][-+]?\d+)?")
_MULTIPLIER = {
    **{
        suffix: Decimal(10) ** power
        for suffix, power in zip("numkMGTPE", (-9, -6, -3, 3, 6, 9, 12, 15, 18), strict=True)
    },
    **{f"{suffix}i": Decimal(1024) ** power for power, suffix in enumerate("KMGTPE", start=1)},
}
_MAX_QUANTITY = Decimal(2) ** 63 - 1
_DURATION = re.compile(r"((?P<h>\d+)h)?((?P<m>\d+)m)?((?P<s>\d+)s)?")


def _dns_label(value: str) -> str:
    if len(value) > 63 or not re.fullmatch(_DNS_LABEL, value):  # noqa: PLR2004 -- RFC 1123
        msg = "must be a DNS label: at most 63 lower-case letters, digits and '-', with a letter or digit at both ends"
        raise ValueError(msg)
    return value


def _dns_subdomain(value: str) -> str:
    if len(value) > 253 or not re.fullmatch(rf"{_DNS_LABEL}(\.{_DNS_LABEL})*", value):  # noqa: PLR2004 -- RFC 1123
        msg = "must be a DNS name: lower-case letters, digits, '-' and '.', with a letter or digit at both ends"
        raise ValueError(msg)
    return value


def _qualified_name(value: str) -> str:
    prefix, slash, name = value.rpartition("/")
    if slash:
        _dns_subdomain(prefix)
    if len(name) > 63 or not re.fullmatch(_NAME, name):  # noqa: PLR2004 -- Kubernetes labels
        msg = (
            "must be a label key: an optional DNS prefix and '/', then at most 63 letters, digits, '-', '_' and '.', "
            "with a letter or digit at both ends"
        )
        raise ValueError(msg)
    return value


def _label_value(value: str) -> str:
    if value and (len(value) > 63 or not re.fullmatch(_NAME, value)):  # noqa: PLR2004 -- Kubernetes labels
        msg = "must be a label value: at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends"
        raise ValueError(msg)
    return value


def quantity(value: str) -> Decimal:
    """Return the number that a Kubernetes quantity stands for: bytes for memory, cores for CPU.

    Raises ValueError where the API server would refuse the text, and for negative amounts, which no field here takes.
    Source: k8s.io/apimachinery/pkg/api/resource, Quantity.
    """
    match = _QUANTITY.fullmatch(value)
    if not match:
        msg = "must be a quantity such as 16Gi, 512Mi, 100m or 2"
        raise ValueError(msg)
    suffix = match["suffix"] or ""
    number = Decimal(match["number"])
    if suffix[:1] in {"e", "E"} and suffix[1:]:
        if abs(int(suffix[1:])) > 18:  # noqa: PLR2004 -- past what an int64 holds either way
            msg = "is beyond what a Kubernetes quantity holds (2^63 - 1)"
            raise ValueError(msg)
        amount = number.scaleb(int(suffix[1:]))
    else:
        amount = number * _MULTIPLIER.get(suffix, Decimal(1))
    if amount > _MAX_QUANTITY:
        msg = "is beyond what a Kubernetes quantity holds (2^63 - 1)"
        raise ValueError(msg)
    return amount


def mebibytes(value: str) -> int:
    """Return a memory quantity in whole MiB, rounded down."""
    return int(quantity(value) / (1024 * 1024))


def _quantity(value: str) -> str:
    quantity(value)
    return value


def _number_as_text(value: Any) -> Any:
    """Let people write `cpu: 1`, as Kubernetes does."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def seconds(value: str) -> int:
    """Return a duration such as `30s`, `5m` or `1h30m` in seconds. Raises ValueError for any other text."""
    match = _DURATION.fullmatch(value)
    if not value or not match:
        msg = "must be a duration with its unit, such as 30s, 5m or 1h30m"
        raise ValueError(msg)
    return int(match["h"] or 0) * 3600 + int(match["m"] or 0) * 60 + int(match["s"] or 0)


def _duration(value: str) -> str:
    if seconds(value) == 0:
        msg = "must be longer than 0 seconds"
        raise ValueError(msg)
    return value


def _repository(value: str) -> str:
    host, slash, path = value.partition("/")
    is_host = slash and ("." in host or ":" in host or host == "localhost")
    component = r"[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*"
    rest = path if is_host else value
    if not re.fullmatch(rf"{component}(/{component})*", rest) or (
        is_host and not re.fullmatch(r"[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:\d{1,5})?", host)
    ):
        msg = "must be an image repository such as nvcr.io/nvidia/k8s-device-plugin, without tag or digest"
        raise ValueError(msg)
    return value


def _absolute_path(value: str) -> str:
    if not re.fullmatch(r"/[^\x00-\x1f\x7f:]*", value) or ".." in value.split("/"):
        msg = "must be an absolute path on the node, without '..' and ':'"
        raise ValueError(msg)
    return value


def _no_control_characters(value: str) -> str:
    if any(ord(char) < 0x20 or ord(char) == 0x7F for char in value):  # noqa: PLR2004 -- control characters
        msg = "must not hold control characters"
        raise ValueError(msg)
    return value


DnsLabel = Annotated[str, AfterValidator(_dns_label)]
DnsSubdomain = Annotated[str, AfterValidator(_dns_subdomain)]
LabelKey = Annotated[str, AfterValidator(_qualified_name)]
LabelValue = Annotated[str, AfterValidator(_label_value)]
ResourceName = LabelKey
Quantity = Annotated[str, BeforeValidator(_number_as_text), AfterValidator(_quantity)]
Duration = Annotated[str, AfterValidator(_duration)]
ImageRepository = Annotated[str, AfterValidator(_repository)]
ImageTag = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$")]
ImageDigest = Annotated[str, StringConstraints(pattern=r"^sha256:[a-f0-9]{64}$")]
AbsolutePath = Annotated[str, AfterValidator(_absolute_path)]
Text = Annotated[str, Field(max_length=1024), AfterValidator(_no_control_characters)]
EnvName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_.-][A-Za-z0-9_.-]*$", max_length=253)]
