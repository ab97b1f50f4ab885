"""Builds plain data and its places from the events of a YAML parser, for files that gpuc did not make."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ruamel.yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from compiler.diagnostics import Diagnostic, Place, Severity
from compiler.lint.document import Node, Shift
from compiler.load import rules
from compiler.load.document import Span
from compiler.objects import Json
from compiler.yaml.readback import plain_value

MAX_DEPTH: Final = 100
# A rendered stack has some ten thousand values, and so has the largest CRD of an operator; 150,000 take 5 seconds.
MAX_VALUES: Final = 150_000
_MERGE: Final = "<<"
_TEXT_TAG: Final = "tag:yaml.org,2002:str"


class RefusedError(Exception):
    """A document that is YAML, but not one that Kubernetes would take; `diagnostic` counts from the document."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class _Frame:
    """A collection that is still open. `key` is the key whose value comes next; None where a key comes next."""

    __slots__ = ("anchor", "data", "key", "key_span", "merged", "node", "size")

    def __init__(self, data: Json, node: Node, anchor: str | None) -> None:
        self.data = data
        self.node = node
        self.anchor = anchor
        self.key: str | None = None
        self.key_span = node.span
        self.size = 1
        self.merged: list[tuple[Json, Node]] = []


class Builder:
    """Takes the events of one document, of which `lines` is the source.

    `data` is what they build, `root` None where they build nothing; `warnings` count from the document's beginning.
    """

    def __init__(self, path: str, lines: tuple[str, ...]) -> None:
        self.path = path
        self.warnings: list[Diagnostic] = []
        self._lines = lines
        self.data: Json = None
        self.root: Node | None = None
        self._open: list[_Frame] = []
        self._anchors: dict[str, tuple[Json, Node, int]] = {}
        self._values = 0

    def read(self, events: Iterable[Any]) -> None:
        """Take all events.

        Raises:
            RefusedError: deeper, larger or more entangled than any manifest.
            YAMLError: from the parser, at the first error of syntax.
        """
        for event in events:
            kind = type(event)
            if kind is ScalarEvent:
                self._scalar(event)
            elif kind is MappingStartEvent:
                self._start(event, {})
            elif kind is SequenceStartEvent:
                self._start(event, [])
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                self._end(event)
            elif kind is AliasEvent:
                self._alias(event)

    def _start(self, event: Any, data: Json) -> None:
        mark = event.start_mark
        if len(self._open) >= MAX_DEPTH:
            self._refuse(rules.TOO_DEEP.code, f"values are nested more than {MAX_DEPTH} levels deep", mark)
        frame = self._open[-1] if self._open else None
        if frame and isinstance(frame.data, dict) and frame.key is None:
            message = "a list or mapping stands where a key is expected: an unquoted template?"
            self._refuse(rules.KEY_NOT_A_STRING.code, message, mark)
        self._open.append(_Frame(data, Node(Span(mark.line, mark.column, 1), {}), event.anchor))

    def _end(self, event: Any) -> None:
        frame = self._open.pop()
        span, end = frame.node.span, event.end_mark
        if end.line == span.line:
            span.length = max(1, end.column - span.column)
        else:
            span.length = _first_line(frame.node)
        for data, node in frame.merged:
            _merge(frame, data, node)
        if frame.anchor is not None:
            self._anchors[frame.anchor] = (frame.data, frame.node, frame.size)
        self._add(frame.data, frame.node, frame.size)

    def _scalar(self, event: Any) -> None:
        start, end = event.start_mark, event.end_mark
        text: str = event.value
        length = end.column - start.column if end.line == start.line else 1
        node = Node(Span(start.line, start.column, max(1, length)))
        value: Json = text
        if not event.style and event.tag != _TEXT_TAG:
            value = plain_value(text)
        frame = self._open[-1] if self._open else None
        if frame and isinstance(frame.data, dict) and frame.key is None:
            frame.key, frame.key_span = _key(text, value), node.span
            return
        if event.style == "|":
            node.text = _literal(start.line, text, self._lines)
        elif end.line == start.line:
            # Without escapes a text on one line stands there as it is.
            quote = 1 if event.style else 0
            if length - 2 * quote == len(text):
                node.text = Shift(start.line, start.column + quote)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, node, 1)
        self._add(value, node, 1)

    def _alias(self, event: Any) -> None:
        found = self._anchors.get(event.anchor)
        frame = self._open[-1] if self._open else None
        if frame and isinstance(frame.data, dict) and frame.key is None:
            frame.key = str(found[0]) if found is not None else event.anchor
            mark = event.start_mark
            frame.key_span = Span(mark.line, mark.column, len(event.anchor) + 1)
            return
        if found is None:
            self._refuse(rules.ANCHOR.code, f"`*{event.anchor}` is an alias of nothing above it", event.start_mark)
        else:
            self._add(*found)

    def _add(self, value: Json, node: Node, size: int) -> None:
        if not self._open:
            if self.root is None:
                self.data, self.root = value, node
            return
        self._values += size
        frame = self._open[-1]
        frame.size += size
        if self._values > MAX_VALUES or frame.size > MAX_VALUES:
            span = node.span
            diagnostic = Diagnostic(
                rules.TOO_LARGE.code,
                f"the document holds, or its aliases expand to, more than {MAX_VALUES} values",
                Place(self.path, span.line + 1, span.column + 1, span.length),
                help="leave it out, or split it",
            )
            raise RefusedError(diagnostic)
        children = frame.node.children
        assert children is not None  # noqa: S101 -- frames are collections
        if isinstance(frame.data, list):
            children[len(frame.data)] = (None, node)
            frame.data.append(value)
            return
        key, frame.key = frame.key, None
        assert key is not None  # noqa: S101 -- the parser gives key and value in turn
        if key == _MERGE and isinstance(value, dict | list):
            sources = value if isinstance(value, list) else [value]
            nodes = [child for _, child in (node.children or {}).values()] if isinstance(value, list) else [node]
            frame.merged += zip(sources, nodes, strict=False)
            return
        if key in frame.data:
            self._twice(key, frame.key_span)
        # Of two values for one key kubectl takes the last.
        children[key] = (frame.key_span, node)
        frame.data[key] = value

    def _twice(self, key: str, span: Span) -> None:
        self.warnings.append(
            Diagnostic(
                rules.DUPLICATE_KEY.code,
                f"`{key}` is defined twice in one mapping: kustomize and Flux refuse the file, kubectl takes the last",
                Place(self.path, span.line + 1, span.column + 1, span.length),
                Severity.WARNING,
                "delete one of the two",
            )
        )

    def _refuse(self, code: str, message: str, mark: Any) -> None:
        place = Place(self.path, mark.line + 1, mark.column + 1)
        raise RefusedError(Diagnostic(code, message, place, help="mend it, or leave it out"))


def _merge(frame: _Frame, data: Json, node: Node) -> None:
    if not isinstance(data, dict) or frame.node.children is None:
        return
    for key, value in data.items():
        if key not in frame.data:
            frame.data[key] = value
            frame.node.children[key] = (node.children or {}).get(key, (None, node))


def _key(text: str, value: Json) -> str:
    """Return a key as sigs.k8s.io/yaml turns it into a string."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else text


def _literal(start: int, text: str, lines: tuple[str, ...]) -> Shift | None:
    """Return where the content of a `|` block begins, whose header is on line `start`."""
    for number, line in enumerate(text.split("\n"), start + 1):
        if line.strip():
            source = lines[number] if number < len(lines) else ""
            return Shift(start + 1, len(source) - len(line)) if source.endswith(line) else None
    return None


def _first_line(node: Node) -> int:
    """How far a collection of several lines reaches on its first one: to the end of what starts there."""
    key, first = next(iter(node.children.values()), (None, None)) if node.children else (None, None)
    if first is not None and first.span.line == node.span.line and first.span.column >= node.span.column:
        return first.span.column + first.span.length - node.span.column
    if key is not None and key.line == node.span.line:
        return key.column + key.length - node.span.column
    return 1
