"""Strings that Kubernetes gives a grammar to: names, labels, quantities, durations, image references.

Each is an annotated `str` that keeps what the user wrote; functions turn it into numbers where numbers are needed.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, WithJsonSchema

from compiler.model.base import Mistake

_DNS_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_NAME = r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"
_QUANTITY = re.compile(r"(?P<number>[0-9]+(\.[0-9]+)?|\.[0-9]+)(?P<suffix>[KMGTPE]i|[numkMGTPE]|[eE][-+]?[0-9]+)?")
_MULTIPLIER = {
    **{
        suffix: Decimal(10) ** power
        for suffix, power in zip("numkMGTPE", (-9, -6, -3, 3, 6, 9, 12, 15, 18), strict=True)
    },
    **{f"{suffix}i": Decimal(1024) ** power for power, suffix in enumerate("KMGTPE", start=1)},
}
_MAX_QUANTITY = Decimal(2) ** 63 - 1
FORMS: dict[str, str] = {}
"""What a pattern demands, in words, by the pattern."""
_DURATION = re.compile(r"((?P<h>[0-9]+)h)?((?P<m>[0-9]+)m)?((?P<s>[0-9]+)s)?")


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
        raise Mistake("must be a quantity such as 16Gi, 512Mi, 100m or 2", _meant_quantity(value))
    suffix = match["suffix"] or ""
    number = Decimal(match["number"])
    if suffix[:1] in {"e", "E"} and suffix[1:] not in {"", "i"}:
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


def _meant_quantity(value: str) -> str | None:
    """Guess what somebody meant who wrote 16GB, 16 Gi or 512mi."""
    loose = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([kmgtpe])(i?)b?", value.strip(), re.IGNORECASE)
    if not loose:
        return None
    number, letter, binary = loose.groups()
    if binary:
        return f"did you mean {number}{letter.upper()}i?"
    decimal = "k" if letter in "kK" else letter.upper()
    return f"write {number}{letter.upper()}i for powers of 1024, or {number}{decimal} for powers of 1000"


def mebibytes(value: str) -> int:
    """Return a memory quantity in whole MiB, rounded down."""
    return int(quantity(value) / (1024 * 1024))


def _quantity(value: str) -> str:
    quantity(value)
    return value


def _number_as_text(value: Any) -> Any:
    """Let people write `cpu: 1`, as Kubernetes does."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _memory_of_a_card(value: str) -> str:
    """Refuse amounts that only a forgotten unit explains."""
    if quantity(value) < 1024 * 1024:
        suggestion = f"did you mean {value}Gi?" if value.isdigit() else "write it with its unit, such as 16Gi"
        raise Mistake(f"is less than 1 MiB: {value} without a unit are bytes", suggestion)
    return value


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
        is_host and not re.fullmatch(r"[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:[0-9]{1,5})?", host)
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


def form(pattern: str, says: str) -> str:
    """Return the pattern, and keep what it says in words for whoever gets it wrong."""
    FORMS[pattern] = says
    return pattern


def _shown(pattern: str, *examples: str, length: int | None = None) -> WithJsonSchema:
    """Return what an editor is told about text whose grammar a validator knows in full."""
    limit = {"maxLength": length} if length else {}
    return WithJsonSchema({"type": "string", "pattern": f"^{pattern}$", **limit, "examples": list(examples)})


_SUBDOMAIN = rf"{_DNS_LABEL}(\.{_DNS_LABEL})*"
_KEY = rf"({_SUBDOMAIN}/)?{_NAME}"

DnsLabel = Annotated[str, AfterValidator(_dns_label), _shown(_DNS_LABEL, "worker4", length=63)]
PoolName = Annotated[
    str, StringConstraints(max_length=40), AfterValidator(_dns_label), _shown(_DNS_LABEL, "worker4", length=40)
]
"""Short enough that names of objects, which end in it, stay within the limits of Kubernetes."""
DnsSubdomain = Annotated[str, AfterValidator(_dns_subdomain), _shown(_SUBDOMAIN, "k8s-worker4", length=253)]
LabelKey = Annotated[str, AfterValidator(_qualified_name), _shown(_KEY, "example.com/gpu")]
LabelValue = Annotated[str, AfterValidator(_label_value), _shown(f"({_NAME})?", "ai", length=63)]
ResourceName = LabelKey
Quantity = Annotated[
    str,
    BeforeValidator(_number_as_text),
    AfterValidator(_quantity),
    WithJsonSchema(
        {
            "type": ["string", "integer"],
            "minimum": 0,
            "pattern": f"^{_QUANTITY.pattern.replace('?P<number>', '').replace('?P<suffix>', '')}$",
            "examples": ["16Gi", "512Mi", "100m", 2],
        }
    ),
]
Vram = Annotated[Quantity, AfterValidator(_memory_of_a_card)]
Duration = Annotated[str, AfterValidator(_duration), _shown(r"([0-9]+h)?([0-9]+m)?([0-9]+s)?", "15s", "5m", "1h30m")]
ImageRepository = Annotated[
    str, AfterValidator(_repository), _shown(r"[A-Za-z0-9._:/-]+", "nvcr.io/nvidia/k8s-device-plugin")
]
ImageTag = Annotated[
    str,
    StringConstraints(
        pattern=form(
            r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$",
            "must be a tag alone, without repository: letters, digits, '_', '.' and '-'",
        )
    ),
]
ImageDigest = Annotated[
    str,
    StringConstraints(pattern=form(r"^sha256:[a-f0-9]{64}$", "must be `sha256:` and 64 hexadecimal digits")),
]
AbsolutePath = Annotated[str, AfterValidator(_absolute_path), _shown(r"/[^:]*", "/run/nvidia/driver")]
Text = Annotated[str, Field(max_length=1024), AfterValidator(_no_control_characters)]
EnvName = Annotated[
    str,
    StringConstraints(
        pattern=form(r"^[A-Za-z_.-][A-Za-z0-9_.-]*$", "must be a variable's name: letters, digits, '_', '.' and '-'"),
        max_length=253,
    ),
]
