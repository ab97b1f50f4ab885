"""What a plain scalar means: YAML 1.2's core schema (https://yaml.org/spec/1.2.2/#103-core-schema).

`yes`, `no`, `on`, `off`, dates and `1_000` are strings there. Whether a string is what a field wants is for the models.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import partial
from typing import Final

from compiler.load import rules
from compiler.load.rules import Rule

_CONSTANTS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INT: Final = re.compile(r"[-+]?[0-9]+")
_OCTAL: Final = re.compile(r"0o[0-7]+")
_HEX: Final = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE: Final = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_NUMBER_STARTS: Final = frozenset("0123456789+-.")
_MIN: Final = -(2**63)
_MAX: Final = 2**63 - 1
# More digits than any 64-bit integer or useful decimal has: Python itself refuses to convert very long ones.
_LONGEST: Final = 64


class BadNumberError(ValueError):
    """A plain scalar that is a number, but not one that every reader understands alike."""

    def __init__(self, rule: Rule, message: str, help_: str) -> None:
        super().__init__(message)
        self.rule = rule
        self.message = message
        self.help = help_


def plain_value(text: str) -> str | int | float | bool | None:
    """Return what a plain (unquoted) scalar means.

    Raises:
        BadNumberError: the number has leading zeros, does not fit into 64 bits, or is not finite.
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    for pattern, convert in _NUMBERS:
        if pattern.fullmatch(text):
            return convert(text)
    if _NOT_FINITE.fullmatch(text):
        raise BadNumberError(
            rules.NUMBER_OUT_OF_RANGE,
            f"`{text}` is not a finite number; Kubernetes objects are JSON, which has no such value",
            "Write a number, or quote it if it is text.",
        )
    return text


def _integer(text: str) -> int:
    digits = text.lstrip("+-")
    if len(digits) > 1 and digits[0] == "0":
        shown = _shown(text)
        plain = digits.lstrip("0")[:_LONGEST] or "0"
        raise BadNumberError(
            rules.AMBIGUOUS_NUMBER,
            f"`{shown}` begins with a zero: YAML 1.2 reads it as decimal, Kubernetes' YAML 1.1 reader as octal",
            f'Write "{shown}" if it is text, or {plain} if it is a number.',
        )
    return _fitting(text, base=10)


def _fitting(text: str, *, base: int) -> int:
    value = int(text, base) if len(text) <= _LONGEST else _MAX + 1
    if not _MIN <= value <= _MAX:
        raise BadNumberError(
            rules.NUMBER_OUT_OF_RANGE,
            f"`{_shown(text)}` does not fit into 64 bits; Kubernetes would refuse or round it",
            "Write a smaller number, or quote it if it is text.",
        )
    return value


def _float(text: str) -> float:
    value = float(text) if len(text) <= _LONGEST else math.inf
    if math.isinf(value):
        raise BadNumberError(
            rules.NUMBER_OUT_OF_RANGE,
            f"`{_shown(text)}` is too large or too long for a number",
            "Write a smaller number, or quote it if it is text.",
        )
    return value


def _shown(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:20]}..."


_NUMBERS: Final[tuple[tuple[re.Pattern[str], Callable[[str], int | float]], ...]] = (
    (_INT, _integer),
    (_OCTAL, partial(_fitting, base=8)),
    (_HEX, partial(_fitting, base=16)),
    (_FLOAT, _float),
)
