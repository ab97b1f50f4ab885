"""Turns what kubeconform says about an object into findings in plain words.

kubeconform 0.8.0 lists only the outermost causes as data (`validationErrors`); the fields themselves are in the text of
`msg`, as ` - at '<JSON pointer>': <cause>` for every step of the search.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_CAUSE: Final = re.compile(r" +- at '((?:[^'\\]|\\.)*)': (.*?)(?= +- at '|$)", re.DOTALL)
_QUOTED: Final = re.compile(r"'((?:[^'\\]|\\.)*)'")
_TYPE: Final = re.compile(r"got (\w+), want (.+)")
_LINE: Final = re.compile(r"\bline (\d+): *")
_UNMARSHAL: Final = "error converting YAML to JSON: yaml: "
_ARTICLES: Final = {"object": "a mapping", "array": "a list", "integer": "a whole number", "null": "nothing (null)"}


class Cause(NamedTuple):
    """One thing that is wrong with an object: the route to the field, in words, and the unknown field's name if any."""

    route: tuple[str, ...]
    words: str
    unknown: str | None = None


def causes(message: str) -> list[Cause]:
    """Return what a message of kubeconform about an invalid object says, field by field; empty if it names no field."""
    found: list[Cause] = []
    for pointer, text in _CAUSE.findall(message):
        route = tuple(_unescape(segment) for segment in _unquote(pointer).split("/")[1:])
        found += _leaves(route, text.strip())
    return list(dict.fromkeys(found))


def unreadable(message: str) -> tuple[int, str]:
    """Return the line (from 1) and the complaint in a message of kubeconform about a text that is not good YAML."""
    text = message.partition(_UNMARSHAL)[2] or message
    text = text.removeprefix("unmarshal errors:").strip()
    line = _LINE.search(text)
    return (int(line[1]) if line else 1), _LINE.sub("", text, count=1).strip()


def field(route: tuple[str, ...]) -> str:
    """Return a route as people write it, such as `spec.containers[0].image`; empty for the object itself."""
    text = ""
    for segment in route:
        if segment.isdecimal():
            text += f"[{segment}]"
        elif re.fullmatch(r"[\w-]+", segment):
            text += f".{segment}" if text else segment
        else:
            text += f"[{json.dumps(segment, ensure_ascii=False)}]"
    return text


def _leaves(route: tuple[str, ...], text: str) -> Iterator[Cause]:
    if text == "validation failed" or text.startswith(("'oneOf' failed", "'anyOf' failed", "'allOf' failed")):
        return  # the causes below it say what is wrong
    name = field(route) or "the object"
    names = [_unquote(quoted) for quoted in _QUOTED.findall(text)]
    if text.startswith("additional properties "):
        for unknown in names:
            yield Cause((*route, unknown), f"there is no field {field((*route, unknown))}", unknown)
    elif text.startswith(("missing property ", "missing properties ")):
        for missing in names:
            yield Cause(route, f"{field((*route, missing))} is required and missing")
    elif kinds := _TYPE.fullmatch(text):
        wanted = " or ".join(_article(kind) for kind in kinds[2].split(" or "))
        yield Cause(route, f"{name} is {_article(kinds[1])}, but must be {wanted}")
    else:
        yield Cause(route, f"{name}: {text}")


def _article(kind: str) -> str:
    return _ARTICLES.get(kind, f"a {kind}")


def _unquote(text: str) -> str:
    """Undo Go's %q inside single quotes, as far as JSON escapes go."""
    inner = re.sub(r'(?<!\\)"', r'\\"', text.replace(r"\'", "'"))
    try:
        return str(json.loads(f'"{inner}"'))
    except ValueError:
        return text


def _unescape(segment: str) -> str:
    """Undo the escapes of a JSON pointer (RFC 6901)."""
    return segment.replace("~1", "/").replace("~0", "~")
