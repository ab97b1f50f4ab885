"""From plain data to a model, or to findings that name the line."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from compiler.diagnostics import Diagnostic, Place
from compiler.errors import InputError
from compiler.model.advice import (
    for_unknown_key,
    for_wrong_type,
    look_alike,
    missing_because_misspelt,
)
from compiler.model.base import Model
from compiler.model.describe import Location, description_at, members_at
from compiler.model.wording import WANTED, invalid, is_a, key_of_union

M = TypeVar("M", bound=Model)


class Locate(Protocol):
    """Finds the place of a value, or of its key, in whichever file holds it."""

    def __call__(self, route: Location, /, *, key: bool = False) -> Place:
        """Return the place for a location as Pydantic reports it."""


UNKNOWN_KEY = "GPU030"
MISSING_KEY = "GPU031"
WRONG_TYPE = "GPU032"
INVALID_VALUE = "GPU033"
TOO_MANY = "GPU021"
MAX_FINDINGS = 50


def _always_own(_: Location) -> bool:
    return False


def parse(model: type[M], data: Any, locate: Locate, inherited: Callable[[Location], bool] = _always_own) -> M:
    """Return the model, or raise InputError with every finding.

    `data` is plain data as `compiler.load` gives it. JSON mode lets lists stand for tuples while staying strict.
    `inherited` says whether a value was merged in from another file than the one that is to blame.
    """
    try:
        return model.model_validate_json(json.dumps(data))
    except ValidationError as error:
        details = error.errors(include_url=False)
    found: dict[tuple[Place, str, str], Diagnostic] = {}
    for detail in details[:MAX_FINDINGS]:
        if detail["type"] == "too_short" and detail["input"]:
            continue  # there are items, only none that passed: each has a finding of its own
        if detail["type"] == "missing" and missing_because_misspelt(
            model, str(detail["loc"][-1]), detail["loc"][:-1], detail["input"]
        ):
            continue
        diagnostic = _diagnose(model, data, detail, locate, inherited)
        if diagnostic.place is not None:
            found.setdefault((diagnostic.place, diagnostic.rule, diagnostic.message), diagnostic)
    if len(details) > MAX_FINDINGS:
        message = f"there are more mistakes than the first {MAX_FINDINGS}; reading stopped here"
        place = locate(details[MAX_FINDINGS]["loc"], key=True)
        found[place, TOO_MANY, message] = Diagnostic(
            TOO_MANY, message, place, help="Mend these first, then run gpuc again."
        )
    raise InputError(found.values())


def _diagnose(
    model: type[Model], data: Any, detail: ErrorDetails, locate: Locate, inherited: Callable[[Location], bool]
) -> Diagnostic:
    loc, kind, value = detail["loc"], detail["type"], detail["input"]
    about = description_at(model, loc)
    if kind == "extra_forbidden":
        return _unknown_key(model, data, loc, locate, inherited)
    if kind == "missing":
        return Diagnostic(
            MISSING_KEY,
            f"{_name(data, loc[:-1]) or 'the file'} lacks `{loc[-1]}`",
            locate(loc, key=True),
            help=f"add `{loc[-1]}`{f': {about}' if about else ''}",
        )
    if kind in {"union_tag_invalid", "union_tag_not_found"}:
        loc = _tagged(detail, loc)
    name, place = _name(data, loc), locate(loc)
    if kind in WANTED:
        advice = for_wrong_type(model, loc, kind, value, _source(place))
        return Diagnostic(
            WRONG_TYPE,
            f"{name} must be {WANTED[kind]}, but is {is_a(value, _source(place))}",
            place,
            help=advice or _meaning(loc, about),
        )
    message, advice = invalid(detail, _source(place))
    if kind == "union_tag_not_found":
        advice = f"add one of: {', '.join(f'`{key_of_union(detail)}: {tag}`' for tag, _ in members_at(model, loc))}"
    whole = kind == "value_error" and isinstance(value, dict)
    return Diagnostic(
        INVALID_VALUE,
        f"{name}{_joint(message)}{message}",
        locate(loc, key=True) if whole or loc[-1] == "[key]" else place,
        help=advice or _meaning(loc, about),
    )


def _meaning(loc: Location, about: str | None) -> str | None:
    """Return what a field is for, as the advice of last resort."""
    key = next((part for part in reversed(loc) if isinstance(part, str) and part != "[key]"), None)
    return f"meaning of `{key}`: {about}" if about else None


def _joint(message: str) -> str:
    """Return what stands between a field's name and what is wrong with it."""
    return " " if message.split(" ", 1)[0] in {"must", "needs", "names", "has", "is", "lacks", "takes"} else ": "


def _tagged(detail: ErrorDetails, loc: Location) -> Location:
    """Return the location of the field that tells a union's members apart; it may be missing there."""
    key = key_of_union(detail)
    return (*loc, key) if isinstance(detail["input"], dict) and key in detail["input"] else loc


def _source(place: Place) -> str:
    """Return a value as it stands in its file, where it is on one line."""
    return place.text[place.column - 1 : place.column - 1 + place.length]


def _unknown_key(
    model: type[Model], data: Any, loc: Location, locate: Locate, inherited: Callable[[Location], bool]
) -> Diagnostic:
    key = str(loc[-1])
    around = _mapping_around(data, loc)
    advice = for_unknown_key(model, loc, lambda other: other in around and not inherited((*loc[:-1], other)))
    if inherited(loc):
        advice = f"base/stack.yaml sets it: write `{key}: null` here to take it away, or leave the rest as it is there"
    message = f"unknown key `{key}`{look_alike(key)}"
    return Diagnostic(UNKNOWN_KEY, message, locate(loc, key=True), help=advice)


def _mapping_around(data: Any, loc: Location) -> dict[str, Any]:
    """Return the mapping that the key at this location is in."""
    for segment in loc[:-1]:
        if isinstance(data, dict):
            data = data.get(segment, data)  # the tags of unions are not in the data
        elif isinstance(data, list) and isinstance(segment, int) and segment < len(data):
            data = data[segment]
    return data if isinstance(data, dict) else {}


def _name(data: Any, loc: Location) -> str:
    """Spell a location as people write it, without the tags that unions put in: `nodePools[0].sharing.replicas`."""
    text = ""
    for segment in loc:
        if isinstance(segment, int):
            if not isinstance(data, list) or segment >= len(data):
                continue
            text, data = f"{text}[{segment}]", data[segment]
        elif isinstance(data, dict) and segment in data:
            text, data = f"{text}.{segment}" if text else segment, data[segment]
        elif segment == loc[-1] and isinstance(data, dict) and segment not in _TAGS:
            text = f"{text}.{segment}" if text else segment
    return f"`{text}`" if text else ""


_TAGS: frozenset[str] = frozenset(
    {"talos", "generic", "gpuc", "external", "time-slicing", "mps", "none", "mapping", "name"}
)
