"""Reads what kustomize and other tools print, as Kubernetes reads it.

Kubernetes reads with sigs.k8s.io/yaml, which is go-yaml v2: YAML 1.1's booleans (`y`, `yes`, `on`), octal `010`,
binary, underscores in numbers. Unlike the YAML 1.1 specification it takes dates and `1:30` for strings.
Source: go.yaml.in/yaml/v2/resolve.go, sigs.k8s.io/yaml/yaml.go.

What no tool prints for Kubernetes is refused instead of guessed at: anchors, tags, merge keys, duplicate keys.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any, Final, NoReturn

from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from compiler.objects import Json
from compiler.yaml.events import fast_events, needs_thorough_parser, thorough_events

_MAX_DEPTH: Final = 200
_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
}
_NUMBER_STARTS: Final = frozenset("0123456789+-.")
_DECIMAL: Final = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_BASES: Final = (
    (re.compile(r"([-+]?)0[xX]([0-9a-fA-F]+)"), 16),
    (re.compile(r"([-+]?)0[bB]([01]+)"), 2),
    (re.compile(r"([-+]?)0[oO]?([0-7]+)"), 8),
)
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
# Behind a leading point Go takes an underscore only between digits; elsewhere go-yaml drops them all first.
_LOOSE_UNDERSCORE: Final = re.compile(r"(?<![0-9])_|_(?![0-9])")
_NOT_FINITE: Final = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_MAX_INT: Final = 2**64 - 1
_MIN_INT: Final = -(2**63)
_LONGEST: Final = 64
_NO_KEY: Final[Any] = object()
_STARTS: Final = frozenset((MappingStartEvent, SequenceStartEvent))
_ENDS: Final = frozenset((MappingEndEvent, SequenceEndEvent))


class UnreadableError(ValueError):
    """The text is not what a tool prints for Kubernetes; the message names the line."""


def load_all(text: str) -> list[Json]:
    """Return the documents in `text` as plain data; those that hold nothing are left out, as kubectl does.

    Raises:
        UnreadableError: not YAML, or YAML that Kubernetes objects cannot be written in.
    """
    try:
        return _read(fast_events(text))
    except YAMLError as error:
        if not needs_thorough_parser(error, text):
            raise UnreadableError(_told(error)) from None
    try:
        return _read(thorough_events(text))
    except YAMLError as error:
        raise UnreadableError(_told(error)) from None


def _read(events: Iterable[Any]) -> list[Json]:
    documents: list[Json] = []
    # Collections that are open, each with the key whose value comes next.
    stack: list[tuple[Json, Any]] = []
    data: Json = documents
    key: Any = _NO_KEY
    for event in events:
        kind = type(event)
        if kind is ScalarEvent:
            value = _value(event)
        elif kind in _ENDS:
            value = data
            data, key = stack.pop()
        elif kind in _STARTS:
            _check_start(event, len(stack), is_key=key is _NO_KEY and type(data) is dict)
            stack.append((data, key))
            data, key = {} if kind is MappingStartEvent else [], _NO_KEY
            continue
        else:
            _check_other(event)
            continue
        if type(data) is list:
            data.append(value)
        elif key is _NO_KEY:
            key = _new_key(value, data, event)
        else:
            data[key] = value
            key = _NO_KEY
    return [document for document in documents if document is not None]


def _value(event: Any) -> Json:
    if event.anchor is not None or event.tag is not None:
        _refuse(event, "an anchor or tag")
    text: str = event.value
    if not event.style and (text in _WORDS or text[0] in _NUMBER_STARTS or text == "<<"):
        return _plain(text, event)
    return text


def _check_start(event: Any, depth: int, *, is_key: bool) -> None:
    if event.anchor is not None or event.tag is not None:
        _refuse(event, "an anchor or tag")
    if is_key:
        _refuse(event, "a key that is no string")
    if depth == _MAX_DEPTH:
        _refuse(event, f"more than {_MAX_DEPTH} levels")


def _check_other(event: Any) -> None:
    if isinstance(event, AliasEvent):
        _refuse(event, "an alias")
    if isinstance(event, DocumentStartEvent) and event.version:
        _refuse(event, "a directive")


def _new_key(value: Json, data: dict[str, Json], event: Any) -> str:
    """Return a key as sigs.k8s.io/yaml turns it into a string."""
    if type(value) is bool:
        value = "true" if value else "false"
    elif type(value) is int:
        value = str(value)
    if type(value) is not str:
        _refuse(event, "a key that is no string")
    if value in data:
        _refuse(event, f"the key {value!r} a second time")
    return value


def _plain(text: str, event: Any) -> Json:
    if text == "<<":
        _refuse(event, "a merge key")
    if _NOT_FINITE.fullmatch(text):
        _refuse(event, "a number that is not finite")
    return plain_value(text)


def plain_value(text: str) -> str | int | float | bool | None:
    """Return what a plain (unquoted) scalar means to Kubernetes; a number that JSON does not have stays text."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    digits = text.replace("_", "")
    if text[0] != ".":
        whole = _integer(digits)
        if whole is not None and _MIN_INT <= whole <= _MAX_INT:
            return whole
    elif _LOOSE_UNDERSCORE.search(text):
        return text
    if _FLOAT.fullmatch(digits):
        number = float(digits)
        # Go refuses what is out of range, so it stays a string.
        return text if math.isinf(number) else number
    return text


def _integer(text: str) -> int | None:
    if len(text) > _LONGEST:
        return None
    if _DECIMAL.fullmatch(text):
        return int(text)
    for pattern, base in _BASES:
        if match := pattern.fullmatch(text):
            return int(match[1] + match[2], base)
    return None


def _refuse(event: Any, what: str) -> NoReturn:
    raise UnreadableError(f"line {event.start_mark.line + 1}: {what} cannot stand in a Kubernetes manifest")


def _told(error: YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    where = f"line {mark.line + 1}: " if mark is not None else ""
    return f"{where}not YAML: {getattr(error, 'problem', None) or error}"
