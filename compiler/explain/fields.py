"""From what somebody types, `out/.../file.yaml:spec.replicas` or `...:12`, to a field of a compiled file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from compiler.errors import InputError
from compiler.load import Document, Route, load_text
from compiler.objects import Json

_ARGUMENT: Final = re.compile(r"(?P<path>[^:]*)(:(?P<field>.*))?", re.DOTALL)


@dataclass(frozen=True)
class Field:
    """A field of a compiled file: its route (empty for the file), its value, and the line that it is on."""

    route: Route
    value: Json
    line: int
    text: str = ""


def split_argument(text: str) -> tuple[str, str]:
    """Return path and field of an argument; the field is empty where none is named."""
    match = _ARGUMENT.fullmatch(text)
    return (match["path"], match["field"] or "") if match else (text, "")


def read_fields(text: str, path: str) -> Document | None:
    """Return a compiled file as data with places, or None where it is no YAML mapping or list."""
    if not path.endswith((".yaml", ".conf", ".yml")):
        return None
    try:
        document = load_text(text, path)
    except InputError:
        return None
    return document if isinstance(document.data, dict) else None


def routes(value: Json, route: Route = ()) -> Iterator[Route]:
    """Yield the route of every field below a value, parents first."""
    items: list[tuple[str | int, Json]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    for key, inner in items:
        yield (*route, key)
        yield from routes(inner, (*route, key))


def find_field(document: Document, wanted: str) -> Field | None:
    """Return the field that somebody names by its path, or by the number of its line; None where there is none."""
    if wanted.isascii() and wanted.isdecimal():
        return _on_line(document, int(wanted[:7]))
    route = _route(document.data, wanted.strip("."), ())
    return field_at(document, route) if route is not None else None


def field_at(document: Document, route: Route) -> Field:
    """Return the field at a route."""
    value = document.data
    for segment in route:
        value = value[segment]
    line = document.place(route, key=True).line
    return Field(route, value, line, document.lines[line - 1])


def _on_line(document: Document, number: int) -> Field | None:
    found = None
    for route in routes(document.data):
        if document.place(route, key=True).line == number:
            found = route
    return field_at(document, found) if found is not None else None


def _route(value: Json, rest: str, route: Route) -> Route | None:  # noqa: PLR0911 -- one for each form of a segment
    """Follow a path; keys may hold dots, so that the longest key that fits is tried first."""
    if not rest:
        return route
    if rest.startswith("["):
        inner, bracket, behind = rest[1:].partition("]")
        key: str | int | None = inner if isinstance(value, dict) else _index(value, inner)
        if not bracket or key is None or (isinstance(value, dict) and key not in value):
            return None
        return _route(value[key], behind.removeprefix("."), (*route, key))
    if isinstance(value, list):
        head, _, behind = rest.partition(".")
        index = _index(value, head)
        return _route(value[index], behind, (*route, index)) if index is not None else None
    if not isinstance(value, dict):
        return None
    for key in sorted((str(key) for key in value), key=len, reverse=True):
        if rest == key or rest.startswith((f"{key}.", f"{key}[")):
            found = _route(value[key], rest[len(key) :].removeprefix("."), (*route, key))
            if found is not None:
                return found
    return None


def _index(value: Json, text: str) -> int | None:
    """Return an item's index: a number, or the name of an item."""
    if not isinstance(value, list):
        return None
    if text.isascii() and text.isdecimal() and int(text[:7]) < len(value):
        return int(text)
    names = [item.get("name") if isinstance(item, dict) else None for item in value]
    return names.index(text) if text in names else None
