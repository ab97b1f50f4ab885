"""Reads YAML 1.2 into a `Document`, refusing whatever two readers could understand differently.

It works on the parser's events, not on composed nodes: events come one by one, so that depth, anchors and tags are
seen before anything is expanded, and nothing here recurses. See docs/adr/0020-reading-yaml.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ruamel.yaml.error import YAMLError

from compiler.errors import InputError
from compiler.load.build import Builder, StoppedError
from compiler.load.document import Document
from compiler.load.source import decode, read_bytes, split_lines
from compiler.load.syntax import explain
from compiler.yaml.events import fast_events, needs_thorough_parser, thorough_events


def load_document(path: Path, root: Path) -> Document:
    """Read the file at `path`, which must lie below `root`.

    Raises:
        InputError: the file is not an input, with everything that was found.
        EnvironmentFailure: the operating system refuses to read it.
    """
    data, name = read_bytes(path, root)
    return load_text(data, name)


def load_text(text: str | bytes, path: str) -> Document:
    """Read a document from `text`; `path` is how findings name it.

    Raises:
        InputError: with everything that was found.
    """
    source = decode(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text, path)
    builder, error = _build(fast_events, source, path)
    if error is not None and needs_thorough_parser(error, source):
        builder, error = _build(thorough_events, source, path)
    if error is not None:
        builder.findings.append(explain(error, path, builder.lines))
    if builder.findings:
        raise InputError(builder.findings)
    return builder.document()


def _build(events: Callable[[str], Iterator[Any]], source: str, path: str) -> tuple[Builder, YAMLError | None]:
    """Build from `events`; returns also the parser's error, at which reading ended."""
    builder = Builder(path, split_lines(source))
    try:
        builder.read(events(source))
    except StoppedError:
        return builder, None
    except YAMLError as error:
        return builder, error
    return builder, None
