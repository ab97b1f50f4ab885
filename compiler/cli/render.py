"""Prints findings: one renderer a format, all from the same `Diagnostic`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from enum import StrEnum

from compiler.diagnostics import Diagnostic, Place
from compiler.objects import Obj

_WIDTH = 120


class Format(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"
    SARIF = "sarif"


def safe(text: str) -> str:
    """Return text without control characters, which an input could use to rewrite what the terminal shows."""
    return "".join(char if char == "\n" or char.isprintable() else _escape(ord(char)) for char in text)


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 -- the longest code of each escape


def render(diagnostics: Sequence[Diagnostic], style: Format) -> str:
    """Return the findings as text that ends in a newline; empty where there is nothing to say."""
    return _RENDERERS[style](diagnostics)


def summary(diagnostics: Sequence[Diagnostic]) -> str:
    """Count the findings: `2 errors, 1 warning`."""
    errors = sum(found.is_error for found in diagnostics)
    counts = [(errors, "error"), (len(diagnostics) - errors, "warning")]
    return ", ".join(f"{count} {word}{'s' if count != 1 else ''}" for count, word in counts if count)


def _text(diagnostics: Sequence[Diagnostic]) -> str:
    return "".join(_one(found) + "\n" for found in diagnostics)


def _one(found: Diagnostic) -> str:
    lines = [f"{found.severity}[{found.rule}]: {safe(found.message)}"]
    gutter = max((len(str(place.line)) for place in _places(found)), default=1)
    if found.place:
        lines += excerpt(found.place, "-->", gutter)
    for related in found.related:
        lines += excerpt(related.place, ":::", gutter, safe(related.message))
    if found.help:
        first, *rest = safe(found.help).split("\n")
        lines.append(f"{'':{gutter}} = help: {first}")
        lines += [f"{'':{gutter}}         {line}" for line in rest]
    return "\n".join(lines) + "\n"


def _places(found: Diagnostic) -> list[Place]:
    return [*([found.place] if found.place else []), *(related.place for related in found.related)]


def excerpt(place: Place, arrow: str, gutter: int, note: str = "") -> list[str]:
    """Return the place, the line it is on and a caret below it; a long line is cut around the caret."""
    head = f"{'':{gutter}}{arrow} {safe(str(place))}"
    if not place.text.strip():
        return [head + (f": {note}" if note else "")]
    start = max(0, place.column - 1 - _WIDTH // 2) if len(place.text) > _WIDTH else 0
    shown = safe(place.text[start : start + _WIDTH].replace("\t", " "))
    indent = len(safe(place.text[start : place.column - 1].replace("\t", " ")))
    marks = "^" * max(1, min(place.length, len(shown) - indent))
    return [
        head,
        f"{'':{gutter}} |",
        f"{place.line:{gutter}} | {shown}",
        f"{'':{gutter}} | {'':{indent}}{marks}{' ' + note if note else ''}",
    ]


def place_as_data(place: Place) -> Obj:
    """Return a place for machines."""
    return {"path": place.path, "line": place.line, "column": place.column, "length": place.length}


def as_data(found: Diagnostic) -> Obj:
    """Return a finding for machines."""
    return {
        "rule": found.rule,
        "severity": str(found.severity),
        "message": found.message,
        "help": found.help,
        "place": place_as_data(found.place) if found.place else None,
        "related": [{"message": item.message, "place": place_as_data(item.place)} for item in found.related],
    }


def _json(diagnostics: Sequence[Diagnostic]) -> str:
    text = json.dumps({"findings": [as_data(found) for found in diagnostics]}, indent=2, ensure_ascii=False)
    # JSON leaves characters as they are that a terminal obeys or cannot show, such as a change of direction.
    shown = (char if char == "\n" or char.isprintable() else json.dumps(char)[1:-1] for char in text)
    return "".join(shown) + "\n"


def _escaped(text: str, more: str = "") -> str:
    """Escape a text for a workflow command, in which %, line ends and, in properties, : and , have a meaning."""
    for char in "%\r\n" + more:
        text = text.replace(char, f"%{ord(char):02X}")
    return text


def _github(diagnostics: Sequence[Diagnostic]) -> str:
    lines = []
    for found in diagnostics:
        where = ""
        if found.place:
            file = _escaped(safe(found.place.path), ":,")
            where = f"file={file},line={found.place.line},col={found.place.column},"
        message = found.message + (f"\n{found.help}" if found.help else "")
        lines.append(f"::{found.severity} {where}title={found.rule}::{_escaped(safe(message))}\n")
    return "".join(lines)


def _sarif(diagnostics: Sequence[Diagnostic]) -> str:
    from compiler.cli.sarif import sarif  # noqa: PLC0415 -- it reads every rule's page, which other formats need not

    return sarif(diagnostics)


_RENDERERS: dict[Format, Callable[[Sequence[Diagnostic]], str]] = {
    Format.TEXT: _text,
    Format.JSON: _json,
    Format.GITHUB: _github,
    Format.SARIF: _sarif,
}
