"""Text to which Kubernetes gives a grammar is accepted where the API server accepts it, and nowhere else."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from compiler.model.scalars import (
    AbsolutePath,
    DnsLabel,
    DnsSubdomain,
    Duration,
    EnvName,
    ImageDigest,
    ImageRepository,
    ImageTag,
    LabelKey,
    LabelValue,
    Quantity,
    mebibytes,
    quantity,
    seconds,
)

DECIMAL = dict(zip(["n", "u", "m", "", "k", "M", "G", "T", "P", "E"], range(-9, 21, 3), strict=True))
BINARY = {suffix: 10 * (power + 1) for power, suffix in enumerate(["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"])}
MAX = 2**63 - 1


def accepts(kind: Any, value: object) -> bool:
    try:
        TypeAdapter(kind).validate_python(value, strict=True)
    except ValidationError:
        return False
    return True


@given(st.integers(0, 10**6), st.sampled_from(sorted(DECIMAL)))
def test_a_decimal_suffix_is_a_power_of_a_thousand(number: int, suffix: str) -> None:
    """apimachinery, resource/suffixer.go: n u m "" k M G T P E stand for 10^-9 to 10^18."""
    expected = Decimal(number).scaleb(DECIMAL[suffix])
    if expected <= MAX:
        assert quantity(f"{number}{suffix}") == expected


@given(st.integers(0, 10**6), st.sampled_from(sorted(BINARY)))
def test_a_binary_suffix_is_a_power_of_1024(number: int, suffix: str) -> None:
    """apimachinery, resource/suffixer.go: Ki Mi Gi Ti Pi Ei stand for 2^10 to 2^60."""
    expected = number * 2 ** BINARY[suffix]
    if expected <= MAX:
        assert quantity(f"{number}{suffix}") == expected


@given(st.integers(0, 999), st.integers(-9, 15), st.sampled_from("eE"))
def test_an_exponent_is_a_power_of_ten(number: int, exponent: int, letter: str) -> None:
    """apimachinery, resource/quantity.go: <decimalExponent> ::= "e" <signedNumber> | "E" <signedNumber>."""
    assert quantity(f"{number}{letter}{exponent}") == Decimal(number).scaleb(exponent)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_larger_numbers_are_larger_amounts(one: int, two: int) -> None:
    assert (one < two) == (quantity(f"{one}Mi") < quantity(f"{two}Mi"))


@given(st.text(max_size=12))
def test_any_text_is_a_quantity_or_a_value_error(text: str) -> None:
    try:
        amount = quantity(text)
    except ValueError:
        return
    assert 0 <= amount <= MAX


@pytest.mark.parametrize(
    ("text", "bytes_"),
    [
        ("16Gi", 16 * 2**30),
        ("1.5Gi", 3 * 2**29),
        (".5Gi", 2**29),
        ("7Ei", 7 * 2**60),
        ("100m", Decimal("0.1")),
        ("1e3", 1000),
    ],
    ids=str,
)
def test_a_quantity_is_the_number_that_kubernetes_reads(text: str, bytes_: int | Decimal) -> None:
    assert quantity(text) == bytes_


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Gi",
        "16GB",
        "16 Gi",
        "16gi",
        "16K",
        "1,5",
        "0x10",
        "1e",
        "1ee3",
        "\u0661",
        "1_000",
        "inf",
    ],
    ids=repr,
)
def test_what_the_api_server_refuses_is_no_quantity(text: str) -> None:
    assert not accepts(Quantity, text)


@pytest.mark.parametrize("text", ["-1", "+1", "-5Gi"])
def test_a_sign_is_refused_since_no_field_takes_less_than_nothing(text: str) -> None:
    assert not accepts(Quantity, text)


@pytest.mark.parametrize("text", ["8Ei", "9223372036854775808", "1e19", "9e99999"])
def test_what_the_api_server_would_cap_is_refused(text: str) -> None:
    """apimachinery, resource/quantity.go: numbers larger than 2^63-1 are capped."""
    assert not accepts(Quantity, text)


@pytest.mark.parametrize(
    ("value", "accepted"), [(2, True), (0, True), (-1, False), (True, False), (0.5, False)], ids=str
)
def test_a_whole_number_may_stand_for_a_quantity(value: object, *, accepted: bool) -> None:
    assert accepts(Quantity, value) is accepted


def test_a_quantity_stays_as_it_was_written() -> None:
    assert TypeAdapter(Quantity).validate_python("1024Mi") == "1024Mi"


@pytest.mark.parametrize(("text", "mib"), [("16Gi", 16384), ("1M", 0), ("2097151", 1)], ids=["Gi", "M", "bytes"])
def test_memory_in_mebibytes_is_rounded_down(text: str, mib: int) -> None:
    assert mebibytes(text) == mib


NAMES = [
    pytest.param(
        DnsLabel, ["a", "a-b", "1", "a" * 63], ["", "A", "-a", "a-", "a.b", "a_b", "a" * 64, "é", "a\n"], id="DNS label"
    ),
    pytest.param(
        DnsSubdomain, ["a", "a.b", "a-b.c", "a." * 126 + "a"], ["", ".a", "a.", "a..b", "A", "a" * 254], id="DNS name"
    ),
    pytest.param(
        LabelKey,
        ["a", "A_b.c", "example.com/a", "nvidia.com/gpu.present", "a" * 63],
        ["", "/a", "a/", "A.com/a", "a/b/c", "-a", "a b", "a" * 64, "x/" + "a" * 64],
        id="label key",
    ),
    pytest.param(
        LabelValue, ["", "a", "A_b.c-d", "a" * 63], ["-a", "a-", "a b", "a/b", "a" * 64, "é"], id="label value"
    ),
    pytest.param(
        ImageRepository,
        ["busybox", "nvcr.io/nvidia/x", "localhost/x", "a.b:5000/c/d", "a/b__c", "a/b-c.d"],
        ["", "a:v1", "a/b:v1", "a@sha256:x", "A/b", "a//b", "/a", "a/", "a b", "https://a/b", "a/B"],
        id="image repository",
    ),
    pytest.param(
        ImageTag,
        ["v1", "4.5.3-4.8.2-distroless", "_", "a" * 128],
        ["", ".a", "-a", "a/b", "a:b", "a" * 129, "a "],
        id="tag",
    ),
    pytest.param(
        ImageDigest, ["sha256:" + "a" * 64], ["", "a" * 64, "sha256:" + "A" * 64, "sha512:" + "a" * 64], id="digest"
    ),
    pytest.param(
        Duration,
        ["15s", "5m", "1h", "1h30m", "1h0m1s"],
        ["", "15", "0s", "0h0m", "1.5h", "5 m", "5d", "m5", "-5s"],
        id="duration",
    ),
    pytest.param(
        AbsolutePath,
        ["/", "/a", "/run/nvidia/driver", "/a b"],
        ["", "a", "./a", "/a/../b", "/..", "/a:b", "/a\x00"],
        id="path",
    ),
    pytest.param(EnvName, ["A", "_", "a.b", "A-B"], ["", "1A", "A B", "A=B", "é"], id="variable"),
]


@pytest.mark.parametrize(("kind", "good", "bad"), NAMES)
def test_names_are_those_that_kubernetes_takes(kind: Any, good: list[str], bad: list[str]) -> None:
    assert {text: accepts(kind, text) for text in [*good, *bad]} == {
        **dict.fromkeys(good, True),
        **dict.fromkeys(bad, False),
    }


@given(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99))
def test_a_duration_is_the_sum_of_its_parts(hours: int, minutes: int, secs: int) -> None:
    assert seconds(f"{hours}h{minutes}m{secs}s") == hours * 3600 + minutes * 60 + secs
