"""Reads the YAML and JSON of other people, as Kubernetes does, into documents that know their places.

Unlike gpuc's own inputs such files may hold many documents, anchors, merge keys and tags. What they expand to is
counted, not built, so that a few lines cannot take gigabytes. Source: go.yaml.in/yaml/v3 and sigs.k8s.io/yaml, which
kubectl, Helm and kustomize read with.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final

from ruamel.yaml.error import YAMLError

from compiler.diagnostics import Diagnostic, Place
from compiler.lint.building import Builder, RefusedError
from compiler.lint.document import NOWHERE, Document, Node, Shift
from compiler.load.source import split_lines
from compiler.load.syntax import explain
from compiler.yaml.events import fast_events, needs_thorough_parser, thorough_events

_START: Final = re.compile(r"---(?=\s|$)")
_NOTHING: Final = re.compile(r"\s*(#.*)?$")
_DIRECTIVE: Final = re.compile(r"%[A-Z]")
MAX_DOCUMENTS: Final = 20_000


@dataclass
class Read:
    """What a file holds: its documents, and what could not be read of it."""

    documents: list[Document] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)


def read_text(text: str, path: str) -> Read:
    """Return the documents of a file's text, in their order; a broken document does not take the others with it."""
    lines = split_lines(text)
    result = Read()
    for first, chunk in _chunks(lines):
        if len(result.documents) + len(result.problems) >= MAX_DOCUMENTS:
            break
        document: Document | None = None
        problems: list[Diagnostic] = []
        try:
            document, problems = _document(chunk, path)
        except YAMLError as error:
            document = _as_json(chunk, path)
            problems = [] if document else [explain(error, path, chunk)]
        except RefusedError as refused:
            problems = [refused.diagnostic]
        result.problems += [_moved(found, first, lines) for found in problems]
        if document is not None and document.data is not None:
            last = first + max(1, len(chunk))
            result.documents.append(replace(document, lines=lines, shift=Shift(first, 0), first=first + 1, last=last))
    return result


def read_inner(text: str, path: str) -> Document | None:
    """Return the first document of a text within a file, or None where it is not YAML or holds no collection."""
    for first, chunk in _chunks(split_lines(text)):
        try:
            # Lines before the document stay as empty ones, so that places count from the text's beginning.
            document, _ = _document(("",) * first + chunk, path)
        except (YAMLError, RefusedError):
            return None
        if document is not None and isinstance(document.data, dict | list):
            return document
        return None
    return None


def _chunks(lines: tuple[str, ...]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the lines of each document that holds more than comments, with the number of the first, from 0.

    Whatever stands around it, `---` at the beginning of a line begins a document. Source: https://yaml.org/spec/1.2.2/,
    9.1.2.
    """
    starts = [0, *(number for number, line in enumerate(lines) if number and _START.match(line)), len(lines)]
    for begin, end in pairwise(starts):
        chunk = list(lines[begin:end])
        if chunk and _START.match(chunk[0]):
            chunk[0] = "   " + chunk[0][3:]
        # Directives belong to the document that follows, and change nothing that matters here.
        chunk = ["" if _DIRECTIVE.match(line) else line for line in chunk]
        if not all(_NOTHING.match(line) or line.startswith("...") for line in chunk):
            yield begin, tuple(chunk)


def _document(lines: tuple[str, ...], path: str) -> tuple[Document | None, list[Diagnostic]]:
    """Return what lines hold, and warnings about it; both count from the first of them."""
    text = "\n".join(lines) + "\n"
    try:
        return _build(fast_events(text), lines, path)
    except YAMLError as error:
        if not needs_thorough_parser(error, text):
            raise
    return _build(thorough_events(text), lines, path)


def _build(events: Iterable[Any], lines: tuple[str, ...], path: str) -> tuple[Document | None, list[Diagnostic]]:
    builder = Builder(path, lines)
    builder.read(events)
    return None if builder.root is None else Document(path, builder.data, lines, builder.root), builder.warnings


def _as_json(chunk: tuple[str, ...], path: str) -> Document | None:
    """Return a document of JSON that YAML's parser does not take, such as one indented by tabs; without places."""
    text = "\n".join(chunk)
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return Document(path, json.loads(text), (), Node(NOWHERE, {}))
    except (ValueError, RecursionError):
        return None


def _moved(found: Diagnostic, lines_before: int, lines: tuple[str, ...]) -> Diagnostic:
    def moved(place: Place) -> Place:
        line = min(place.line + lines_before, max(1, len(lines)))
        return replace(place, line=line, text=lines[line - 1] if lines else "")

    related = tuple(replace(item, place=moved(item.place)) for item in found.related)
    return replace(found, place=moved(found.place) if found.place else None, related=related)
