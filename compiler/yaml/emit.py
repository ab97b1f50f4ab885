"""Writes plain data as block YAML that every reader, YAML 1.1 or 1.2, takes for that same data.

The writer is gpuc's own; docs/adr/0021-writing-yaml.md says why, and which style it writes.
"""

from __future__ import annotations

import math
import re
from typing import Final

from compiler.objects import Json

# A plain scalar begins with one of these and goes on in printable ASCII. YAML allows more; gpuc quotes the rest.
# `...` at the start of a line ends the document, `---` begins one.
_PLAIN: Final = re.compile(r"(?!\.\.\.)(?:[A-Za-z0-9_./(+$]|-{1,2}[A-Za-z])[ -~]*")
_BREAKS_PLAIN: Final = re.compile(r": | #|:\Z| \Z")
# Everything that one reader or another takes for a boolean or null.
_WORD: Final = re.compile(r"(?:y|n|yes|no|on|off|true|false|null|none|[-+]?\.(?:inf|nan))", re.IGNORECASE)
# Wider than any reader's numbers, dates and times in base 60 (YAML 1.1 alone has `1:30`, `1_000`, `0b1` and `1.2.3`).
_NUMBER: Final = re.compile(r"[-+.0-9][-+.0-9a-fA-F_:,xXoObBtTzZ ]*")
# Not printable in YAML, a line end for some readers only, or not visible in a review.
_ESCAPED: Final = re.compile(
    "[\x00-\x1f\x7f-\xa0\xad\u061c\u200b-\u200f\u2028-\u202f\u205f-\u206f\ufeff\ufff0-\uffff\U000e0000-\U000e0fff]"
)
_ESCAPED_IN_DOUBLE: Final = re.compile(f'{_ESCAPED.pattern[:-1]}"\\\\]')
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_ONLY_SPACE: Final = re.compile(r"^[ \t]+$", re.MULTILINE)
_SHORT_ESCAPES: Final = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
# Readers need not look further than 1024 characters for the colon (YAML 1.2.2, section 7.4.3).
_LONGEST_KEY: Final = 1000
_CONSTANTS: Final = {None: "null", True: "true", False: "false"}
_MIN_INT: Final = -(2**63)
_MAX_INT: Final = 2**63 - 1


def emit(obj: Json) -> str:
    """Return `obj` as YAML that ends with a newline.

    Keys keep their order. Nothing is folded or anchored. Lists stand at the column of their key, as kubectl and
    kustomize print them. Strings, keys too, are quoted wherever any reader would take them for something else; those
    of several lines become literal blocks.

    Raises:
        TypeError: something in `obj` is not str, int, float, bool, None, list or dict, or a key is not a string.
        ValueError: a number is not finite or does not fit into 64 bits, a string holds half a surrogate pair, or a key
            is longer than 1000 characters.
    """
    out: list[str] = []
    if isinstance(obj, dict) and obj:
        _mapping(obj, "", "", out)
    elif isinstance(obj, list) and obj:
        _sequence(obj, "", "", out)
    elif isinstance(obj, str):
        # Readers disagree on how a literal block at the top is indented.
        out.append(_one_line(obj))
    else:
        out.append(_scalar(obj, ""))
    out.append("")
    return "\n".join(out)


def _mapping(obj: dict[str, Json], lead: str, pad: str, out: list[str]) -> None:
    """Write the entries at the column of `pad`; `lead` is what stands on the first one's line already."""
    for key, value in obj.items():
        head = f"{lead}{_key(key)}:"
        lead = pad
        if isinstance(value, dict) and value:
            out.append(head)
            deeper = pad + "  "
            _mapping(value, deeper, deeper, out)
        elif isinstance(value, list) and value:
            out.append(head)
            _sequence(value, pad, pad, out)
        else:
            out.append(f"{head} {_scalar(value, pad)}")


def _sequence(items: list[Json], lead: str, pad: str, out: list[str]) -> None:
    for item in items:
        head = f"{lead}- "
        lead = pad
        if isinstance(item, dict) and item:
            _mapping(item, head, pad + "  ", out)
        elif isinstance(item, list) and item:
            _sequence(item, head, pad + "  ", out)
        else:
            out.append(head + _scalar(item, pad))


def _key(key: Json) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a key must be a string, not {key!r}")
    text = _one_line(key)
    if len(text) > _LONGEST_KEY:
        raise ValueError(f"a key of {len(text)} characters is longer than YAML allows: {text[:40]}...")
    return text


def _scalar(value: Json, pad: str) -> str:
    """Return what stands behind `key:` or `-`, for anything but a collection that has items."""
    if isinstance(value, str):
        return _literal(value, pad) if "\n" in value and _fits_literal(value) else _one_line(value)
    if value is None or isinstance(value, bool):
        return _CONSTANTS[value]
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, dict | list):
        return "{}" if isinstance(value, dict) else "[]"
    raise TypeError(f"cannot write {type(value).__name__} as YAML: {value!r}")


def _number(value: float) -> str:
    if isinstance(value, int):
        if not _MIN_INT <= value <= _MAX_INT:
            raise ValueError(f"{value} does not fit into 64 bits")
        return int.__repr__(value)
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a finite number, which JSON does not have")
    text = float.__repr__(value)
    # YAML 1.1 takes 1e+16 for a string: its numbers have a point.
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def _one_line(text: str) -> str:
    """Return a string as a plain or quoted scalar on one line."""
    # An enumeration's member prints as its value, not as its name.
    text = str.__str__(text)
    if (
        _PLAIN.fullmatch(text)
        and not _BREAKS_PLAIN.search(text)
        and not _WORD.fullmatch(text)
        and not _NUMBER.fullmatch(text)
    ):
        return text
    if _SURROGATE.search(text):
        raise ValueError(f"half a surrogate pair is no character: {text[:40]!a}")
    if ('"' in text or "\\" in text) and not _ESCAPED.search(text):
        return "'" + text.replace("'", "''") + "'"
    return '"' + _ESCAPED_IN_DOUBLE.sub(_escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    code = ord(char)
    if char in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[char]
    if code <= 0xFF:  # noqa: PLR2004 - the longest of \xXX
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"  # noqa: PLR2004 - the longest of \uXXXX


def _fits_literal(text: str) -> bool:
    """True where every reader takes a literal block for exactly this text."""
    # Lines of nothing but spaces would be told apart from indentation differently.
    return (
        not text.isspace()
        and not _ONLY_SPACE.search(text)
        and not _ESCAPED.search(text.replace("\n", "").replace("\t", ""))
        and not _SURROGATE.search(text)
    )


def _literal(text: str, pad: str) -> str:
    body = str.__str__(text).split("\n")
    chomping = "-"
    if body[-1] == "":
        body.pop()
        chomping = "+" if body[-1] == "" else ""
    indicator = "2" if text[0] in " \t\n" else ""
    deeper = f"\n{pad}  "
    return f"|{indicator}{chomping}" + "".join(deeper + line if line else "\n" for line in body)
