"""Reads YAML 1.2 into a `Document`, refusing whatever two readers could understand differently.

It works on the parser's events, not on composed nodes: events come one by one, so that depth, anchors and tags are
seen before anything is expanded, and nothing here recurses. See docs/adr/0020-reading-yaml.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.cyaml import CBaseLoader
from ruamel.yaml.error import YAMLError

from compiler.errors import InputError
from compiler.load.build import Builder, Stopped
from compiler.load.document import Document
from compiler.load.source import check_characters, decode, read_bytes, split_lines
from compiler.load.syntax import explain

# The C parser implements an early YAML 1.1: it refuses `{image: host:5000/x}`, which YAML 1.2 allows. The Python
# parser knows better but needs 35 s for 1 MiB, so it decides only about small files.
_TOO_STRICT: Final = "found unexpected ':'"
_SMALL: Final = 1 << 16


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
    check_characters(source, path)
    lines = split_lines(source)
    builder = Builder(path, lines)
    try:
        builder.read(_events_in_c(source))
    except Stopped:
        pass
    except YAMLError as error:
        if getattr(error, "problem", None) == _TOO_STRICT and len(source) <= _SMALL:
            builder = Builder(path, lines)
            _read_in_python(builder, source)
        else:
            builder.findings.append(explain(error, path, lines))
    if builder.findings:
        raise InputError(builder.findings)
    return builder.document()


def _read_in_python(builder: Builder, source: str) -> None:
    try:
        builder.read(YAML(typ="safe", pure=True).parse(source))
    except Stopped:
        pass
    except YAMLError as error:
        builder.findings.append(explain(error, builder.path, builder.lines))


def _events_in_c(source: str) -> Iterator[Any]:
    parser = CBaseLoader(source)
    while parser.check_event():
        yield parser.get_event()
