"""Builds plain data and its places from the events of a YAML parser."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from compiler.diagnostics import Diagnostic, Place, Related
from compiler.load import rules
from compiler.load.document import Document, Node, Span, place_at
from compiler.load.rules import Rule
from compiler.load.scalars import BadNumberError, plain_value
from compiler.objects import Json

MAX_DEPTH: Final = 100
MAX_FINDINGS: Final = 50
# A file of 1 MiB that people write has less than half as many; `[[],[],...]` has ten times as many, and takes 10 s.
MAX_VALUES: Final = 100_000

_BLOCK_HEADER: Final = re.compile(r"[|>][-+0-9]*")
_NO_SPAN: Final = Span(0, 0, 1)


class StoppedError(Exception):
    """Reading on would make no sense; the findings say why."""


class _Frame:
    """A collection that is still open. `key` is the key whose value comes next; None where a key comes next."""

    __slots__ = ("data", "key", "key_span", "node")

    def __init__(self, data: Json, node: Node) -> None:
        self.data = data
        self.node = node
        self.key: str | None = None
        self.key_span = _NO_SPAN


class Builder:
    """Takes events, keeps what they build and every finding on the way."""

    def __init__(self, path: str, lines: tuple[str, ...]) -> None:
        self.path = path
        self.lines = lines
        self.findings: list[Diagnostic] = []
        self._open: list[_Frame] = []
        self._data: Json = None
        self._root: Node | None = None
        self._documents = 0
        self._values = 0

    def document(self) -> Document:
        """Return what was read; only after `read` ended without a finding."""
        assert self._root is not None  # noqa: S101 - `read` reports an empty file
        return Document(self.path, self._data, self.lines, self._root)

    def read(self, events: Iterable[Any]) -> None:
        """Take all events.

        Raises:
            StoppedError: reading on makes no sense; see `findings`.
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
            elif kind is DocumentStartEvent:
                self._document_start(event)
        self._check_top()

    def _check_top(self) -> None:
        if self._root is None or (self._data is None and not self.findings):
            self._report(
                rules.EMPTY,
                "the file is empty: no mapping, only comments or nothing",
                Place(self.path, text=self.lines[0] if self.lines else ""),
                "Write the input here, or delete the file.",
            )
        elif not isinstance(self._data, dict) and not self.findings:
            what = "a list" if isinstance(self._data, list) else "a single value"
            self._report(
                rules.NOT_A_MAPPING,
                f"the file holds {what} at the top, not a mapping",
                self._place(self._root.span),
                "Start with `apiVersion: gpuc/v1alpha1` and `kind:`.",
            )

    def _document_start(self, event: Any) -> None:
        self._documents += 1
        if event.version or event.tags:
            mark = event.start_mark
            text = self.lines[mark.line]
            self._report(
                rules.DIRECTIVE,
                "directives change how the file is read; Kustomize refuses them too",
                self._place(Span(mark.line, mark.column, len(text.rstrip()))),
                "Delete the line; gpuc always reads YAML 1.2.",
            )
        if self._documents > 1:
            self._report(
                rules.SEVERAL_DOCUMENTS,
                "a second document begins here; an input file is one document",
                self._mark(event.start_mark, 3),
                "Give each document a file of its own.",
            )
            raise StoppedError

    def _start(self, event: Any, data: Json) -> None:
        self._properties(event)
        if len(self._open) >= MAX_DEPTH:
            self._report(
                rules.TOO_DEEP,
                f"values are nested more than {MAX_DEPTH} levels deep",
                self._mark(event.start_mark),
                "Flatten it: no field of an input is that deep.",
            )
            raise StoppedError
        start = event.start_mark
        self._open.append(_Frame(data, Node(Span(start.line, start.column, 1), {})))

    def _end(self, event: Any) -> None:
        frame = self._open.pop()
        span, end = frame.node.span, event.end_mark
        span.length = end.column - span.column if end.line == span.line else self._first_line(frame.node)
        parent = self._open[-1] if self._open else None
        if parent and isinstance(parent.data, dict) and parent.key is None:
            self._not_a_key("a list or mapping", self._place(span), "Is this a template? gpuc reads plain YAML only.")
            self._key(parent, f"\0{len(parent.data)}", span)
        else:
            self._add(frame.data, frame.node)

    def _first_line(self, node: Node) -> int:
        """How far a collection of several lines reaches on its first one: to the end of what starts there."""
        span = node.span
        first = next(iter(node.children.values()), None) if node.children else None
        if first is not None and first.span.line == span.line:
            return first.span.column + first.span.length - span.column
        if first is not None and first.key is not None and first.key.line == span.line:
            return first.key.column + first.key.length - span.column
        return 1

    def _scalar(self, event: Any) -> None:
        if event.anchor is not None or event.tag is not None:
            self._properties(event)
        start, end = event.start_mark, event.end_mark
        if end.line == start.line:
            length = end.column - start.column
        elif event.style in ("|", ">"):
            header = _BLOCK_HEADER.match(self.lines[start.line], start.column)
            length = header.end() - start.column if header else 1
        else:
            length = len(self.lines[start.line].rstrip()) - start.column
        span = Span(start.line, start.column, length)
        value: Json = event.value
        frame = self._open[-1] if self._open else None
        if frame and frame.key is None and isinstance(frame.data, dict):
            self._key(frame, self._key_text(event, span), span)
            return
        if not event.style:
            try:
                value = plain_value(value)
            except BadNumberError as error:
                self._report(error.rule, error.message, self._place(span), error.help)
        self._add(value, Node(span))

    def _key_text(self, event: Any, span: Span) -> str:
        text: str = event.value
        if event.style:
            return text
        if text == "<<":
            self._report(
                rules.MERGE_KEY,
                "`<<` is a merge key, which YAML 1.2 does not have",
                self._place(span),
                "Write the merged fields out here.",
            )
            return text
        try:
            value = plain_value(text)
        except BadNumberError:
            value = 0
        if not isinstance(value, str):
            what = f"`{text}`" if text else "an empty key"
            self._not_a_key(
                what, self._place(span), f'Quote it: "{text}".' if text else "Write a key before the colon."
            )
        return text

    def _alias(self, event: Any) -> None:
        name = event.anchor
        self._report(
            rules.ANCHOR,
            f"`*{name}` is an alias; inputs do not allow them",
            self._mark(event.start_mark, len(name) + 1),
            "Write the value out here.",
        )
        frame = self._open[-1] if self._open else None
        span = Span(event.start_mark.line, event.start_mark.column, len(name) + 1)
        if frame and frame.key is None and isinstance(frame.data, dict):
            self._key(frame, f"*{name}", span)
        else:
            self._add(None, Node(span))

    def _key(self, frame: _Frame, text: str, span: Span) -> None:
        frame.key = text
        frame.key_span = span
        if text in frame.data:
            first = frame.node.children[text].key if frame.node.children else None
            related = (Related("first defined here", self._place(first)),) if first else ()
            self._report(
                rules.DUPLICATE_KEY,
                f"`{text}` is defined twice in one mapping; one value would silently win",
                self._place(span),
                "Delete one of the two.",
                related,
            )

    def _add(self, value: Json, node: Node) -> None:
        if not self._open:
            self._data, self._root = value, node
            return
        self._values += 1
        if self._values > MAX_VALUES:
            message = f"the file holds more than {MAX_VALUES} values"
            self._report(rules.TOO_LARGE, message, self._place(node.span), "Move what is not the GPU stack out of it.")
            raise StoppedError
        frame = self._open[-1]
        children = frame.node.children
        assert children is not None  # noqa: S101 - frames are collections
        if isinstance(frame.data, list):
            children[len(frame.data)] = node
            frame.data.append(value)
            return
        key, frame.key = frame.key, None
        assert key is not None  # noqa: S101 - the parser gives key and value in turn
        if key not in frame.data:
            node.key = frame.key_span
            children[key] = node
            frame.data[key] = value

    def _properties(self, event: Any) -> None:
        """Refuse what YAML calls a node's properties: its anchor and its tag."""
        if event.anchor is not None:
            self._report(
                rules.ANCHOR,
                f"`&{event.anchor}` is an anchor; inputs do not allow them",
                self._mark(event.start_mark, len(event.anchor) + 1),
                "Delete it, and write the value out wherever it is used.",
            )
        if event.tag is not None:
            rest = self.lines[event.start_mark.line][event.start_mark.column :]
            self._report(
                rules.TAG,
                "a tag changes what a value is; inputs do not allow them",
                self._mark(event.start_mark, len(rest.split(" ")[0])),
                'Delete the tag; quote the value ("...") where it has to be a string.',
            )

    def _not_a_key(self, what: str, place: Place, help_: str) -> None:
        self._report(rules.KEY_NOT_A_STRING, f"{what} is not a string, so it cannot be a key", place, help_)

    def _place(self, span: Span) -> Place:
        return place_at(self.path, self.lines, span.line, span.column, span.length)

    def _mark(self, mark: Any, length: int = 1) -> Place:
        return place_at(self.path, self.lines, mark.line, mark.column, length)

    def _report(self, rule: Rule, message: str, place: Place, help_: str, related: tuple[Related, ...] = ()) -> None:
        self.findings.append(Diagnostic(rule.code, message, place, help=help_, related=related))
        if len(self.findings) == MAX_FINDINGS:
            message = f"the file has more mistakes than the first {MAX_FINDINGS}; reading stopped here"
            self.findings.append(
                Diagnostic(rules.TOO_MANY.code, message, place, help="Mend these first, then run gpuc again.")
            )
            raise StoppedError
