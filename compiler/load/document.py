"""A file as plain data in which every value knows its place."""

from __future__ import annotations

from dataclasses import dataclass, field

from compiler.diagnostics import Place
from compiler.objects import Json

Route = tuple[str | int, ...]


class Span:
    """Where something starts and how far it reaches on that line; everything counts from 0."""

    __slots__ = ("column", "length", "line")

    def __init__(self, line: int, column: int, length: int) -> None:
        self.line = line
        self.column = column
        self.length = length


class Node:
    """A value's span, its key's span (None in a list and at the top), and the nodes below it."""

    __slots__ = ("children", "key", "span")

    def __init__(self, span: Span, children: dict[str | int, Node] | None = None) -> None:
        self.span = span
        self.key: Span | None = None
        self.children = children


def place_at(path: str, lines: tuple[str, ...], line: int, column: int, length: int = 1) -> Place:
    """Return the place for a line and column that count from 0; beyond the end of the file it is the file's end."""
    if line >= len(lines):
        line = max(0, len(lines) - 1)
        column = len(lines[line]) if lines else 0
    text = lines[line] if lines else ""
    return Place(path, line + 1, column + 1, max(1, length), text)


@dataclass(frozen=True)
class Document:
    """An input file.

    `path` is relative to the root, with forward slashes. `data` is made of plain str, int, float, bool, None, list
    and dict. `lines` are the source lines without their ends.
    """

    path: str
    data: Json
    lines: tuple[str, ...] = field(repr=False)
    root: Node = field(repr=False, compare=False)

    def resolve(self, loc: Route) -> Route:
        """Return the part of `loc` that exists in the file.

        A segment without a node is skipped, so that the tags which Pydantic's discriminated unions insert do no harm:
        ("sharing", "time-slicing", "replicas") gives ("sharing", "replicas"); a missing last field gives its parent.
        """
        return self._walk(loc)[0]

    def place(self, route: Route, *, key: bool = False) -> Place:
        """Return the span of the value at `route`, or of its key when `key` is true.

        Segments are skipped as `resolve` does, so a route that does not exist gives its nearest ancestor. Items of
        lists and the top have no key and give the value. Of a value that takes several lines, the span is the part on
        the first one.
        """
        node = self._walk(route)[1]
        span = node.key if key and node.key is not None else node.span
        return place_at(self.path, self.lines, span.line, span.column, span.length)

    def _walk(self, loc: Route) -> tuple[Route, Node]:
        node = self.root
        taken: list[str | int] = []
        for segment in loc:
            child = node.children.get(segment) if node.children else None
            if child is not None:
                taken.append(segment)
                node = child
        return tuple(taken), node
