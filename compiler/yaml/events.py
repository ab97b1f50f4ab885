"""Events of ruamel.yaml's two parsers: the fast one in C, and the thorough one in Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.cyaml import CBaseLoader
from ruamel.yaml.error import YAMLError

# The Python parser needs 2 ms for 1 KB and 35 s for 1 MiB, so it decides only about texts up to this many characters.
_SMALL: Final = 1 << 16


def fast_events(text: str) -> Iterator[Any]:
    """Yield the events of `text`.

    Raises:
        YAMLError: an error of syntax, or what `needs_thorough_parser` is for.
    """
    parser = CBaseLoader(text)
    while parser.check_event():
        yield parser.get_event()


def thorough_events(text: str) -> Iterator[Any]:
    """Yield the events of `text`, slowly.

    Raises:
        YAMLError: an error of syntax.
    """
    yield from YAML(typ="safe", pure=True).parse(text)


def needs_thorough_parser(error: YAMLError, text: str) -> bool:
    """True where `fast_events` failed for `{image: host:5000/x}` or the like.

    The C parser (libyaml 0.1.7) refuses a `:` inside a plain scalar in `{}` and `[]`; YAML 1.2 allows it.
    """
    return getattr(error, "problem", None) == "found unexpected ':'" and len(text) <= _SMALL
