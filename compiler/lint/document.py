"""A document of a file that gpuc did not make: plain data in which every value knows its place, even within texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, NamedTuple

from compiler.check.scene import Route
from compiler.diagnostics import Place
from compiler.load.document import Span, place_at
from compiler.objects import Json, value_at


class Shift(NamedTuple):
    """How far a text within a file is away from the file's beginning: lines, and columns on each of its lines."""

    line: int
    column: int


class Node:
    """A value's span, the values below it with the spans of their keys, and where its text begins if it is a text."""

    __slots__ = ("children", "span", "text")

    def __init__(self, span: Span, children: dict[str | int, tuple[Span | None, Node]] | None = None) -> None:
        self.span = span
        self.children = children
        self.text: Shift | None = None


NOWHERE: Final = Span(0, 0, 1)


@dataclass(frozen=True)
class Document:
    """One document of a file.

    `data` is plain data as Kubernetes reads it; `lines` are those of the whole file. `shift` says where the document
    begins in the file; None where its lines cannot be told, and every place is then `around`. `first` and `last` are
    the lines that it takes in the file, from 1.
    """

    path: str
    data: Json
    lines: tuple[str, ...] = field(repr=False)
    root: Node = field(repr=False, compare=False)
    shift: Shift | None = field(default_factory=lambda: Shift(0, 0))
    around: Place | None = None
    first: int = 1
    last: int = 1

    def place(self, route: Route, /, *, key: bool = False) -> Place:
        """Return the place of the value at a route, or of its key; where there is none, of the nearest around it.

        A route may lead into a text that is itself YAML, such as a configuration in a ConfigMap.
        """
        node, span = self.root, self.root.span
        for index, segment in enumerate(route):
            child = node.children.get(segment) if node.children else None
            if child is None:
                inner = self.embedded(route[:index])
                return inner.place(route[index:], key=key) if inner is not None else self._at(span)
            key_span, node = child
            last = index == len(route) - 1
            span = key_span if key_span is not None and (key or not last) and last else node.span
        return self._at(span)

    def has(self, route: Route) -> bool:
        """Return whether there is a value at a route."""
        node = self.root
        for segment in route:
            child = node.children.get(segment) if node.children else None
            if child is None:
                return False
            node = child[1]
        return True

    def get(self, *route: str | int) -> Json:
        """Return the value at a route, or None where there is none."""
        return value_at(self.data, route)

    def embedded(self, route: Route) -> Document | None:
        """Return the YAML that the text at a route holds, with its places in this file; None where it holds none."""
        if route not in self._embedded:
            self._embedded[route] = self._embed(route)
        return self._embedded[route]

    def _embed(self, route: Route) -> Document | None:
        # The reader makes documents, and a document reads the texts within it.
        from compiler.lint.reading import read_inner  # noqa: PLC0415

        text = self.get(*route)
        node = self._node(route)
        if not isinstance(text, str) or node is None or node.children is not None:
            return None
        inner = read_inner(text, self.path)
        if inner is None:
            return None
        place = self._at(node.span)
        shift = None
        if node.text is not None and self.shift is not None:
            # Texts of one document count from the document's own beginning.
            shift = Shift(node.text.line + self.shift.line, node.text.column + self.shift.column)
        return replace(inner, lines=self.lines, shift=shift, around=place, first=self.first, last=self.last)

    @cached_property
    def _embedded(self) -> dict[Route, Document | None]:
        return {}

    def _node(self, route: Route) -> Node | None:
        node = self.root
        for segment in route:
            child = node.children.get(segment) if node.children else None
            if child is None:
                return None
            node = child[1]
        return node

    def _at(self, span: Span) -> Place:
        if self.shift is None:
            return self.around or Place(self.path)
        line, column = span.line + self.shift.line, span.column + self.shift.column
        return place_at(self.path, self.lines, line, column, span.length)

    def walk(self) -> Iterator[tuple[Route, Json]]:
        """Yield every mapping and list with its route, parents first; what is repeated by an alias only once."""
        seen: set[int] = set()
        open_: list[tuple[Route, Json]] = [((), self.data)]
        while open_:
            route, value = open_.pop()
            if id(value) in seen:
                continue
            if isinstance(value, dict | list):
                seen.add(id(value))
                yield route, value
                below = value.items() if isinstance(value, dict) else enumerate(value)
                open_ += [((*route, key), inner) for key, inner in below if isinstance(inner, dict | list)]
