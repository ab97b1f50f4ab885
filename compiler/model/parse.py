"""From plain data to a model, or to findings that name the line."""

from __future__ import annotations

import json
from typing import Any, Protocol, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from compiler.diagnostics import Diagnostic, Place
from compiler.errors import InputError
from compiler.model.base import Model
from compiler.model.describe import Location, description_at, elsewhere, keys_at, suggest

M = TypeVar("M", bound=Model)


class Locate(Protocol):
    """Finds the place of a value, or of its key, in whichever file holds it."""

    def __call__(self, route: Location, /, *, key: bool = False) -> Place:
        """Return the place for a location as Pydantic reports it."""


UNKNOWN_KEY = "GPU030"
MISSING_KEY = "GPU031"
WRONG_TYPE = "GPU032"
INVALID_VALUE = "GPU033"

_WANTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}


def _is_a(value: Any) -> str:
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the text {_quoted(value)}"
    return "a list" if isinstance(value, list) else "a mapping"


def _quoted(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else f"`{value}`"
    return text if len(text) <= 80 else text[:77] + "..."  # noqa: PLR2004 -- a line of a terminal


def parse(model: type[M], data: Any, locate: Locate) -> M:
    """Return the model, or raise InputError with every finding.

    `data` is plain data as `compiler.load` gives it. JSON mode lets lists stand for tuples while staying strict.
    """
    try:
        return model.model_validate_json(json.dumps(data))
    except ValidationError as error:
        details = error.errors(include_url=False)
    found: dict[tuple[Place, str], Diagnostic] = {}
    for detail in details:
        if detail["type"] == "too_short" and detail["input"]:
            continue  # there are items, only none that passed: each has a finding of its own
        diagnostic = _diagnose(model, data, detail, locate)
        if diagnostic.place is not None:
            found.setdefault((diagnostic.place, diagnostic.rule), diagnostic)
    raise InputError(found.values())


def _diagnose(model: type[Model], data: Any, detail: ErrorDetails, locate: Locate) -> Diagnostic:
    loc, kind, value = detail["loc"], detail["type"], detail["input"]
    name = _name(data, loc)
    about = description_at(model, loc)
    if kind == "extra_forbidden":
        return _unknown_key(model, loc, locate)
    if kind == "missing":
        return Diagnostic(
            MISSING_KEY,
            f"{_name(data, loc[:-1]) or 'the file'} lacks `{loc[-1]}`",
            locate(loc[:-1], key=True),
            help=about,
        )
    if kind in _WANTED:
        advice = f'quote it: "{value}"' if kind == "string_type" and isinstance(value, int | float) else about
        return Diagnostic(
            WRONG_TYPE, f"{name} must be {_WANTED[kind]}, but is {_is_a(value)}", locate(loc), help=advice
        )
    if kind == "union_tag_invalid":
        loc = (*loc, detail["ctx"]["discriminator"].strip("'"))
        name = _name(data, loc)
    message, advice = _invalid(detail)
    return Diagnostic(
        INVALID_VALUE,
        f"{name} {message}",
        locate(loc, key=kind == "value_error" and not isinstance(value, str)),
        help=advice or about,
    )


def _unknown_key(model: type[Model], loc: Location, locate: Locate) -> Diagnostic:
    key = str(loc[-1])
    choices = keys_at(model, loc[:-1])
    meant = suggest(key, choices)
    paths = elsewhere(model, key)
    advice: str | None
    if meant:
        advice = f"did you mean `{meant}`?"
    elif paths:
        advice = f"`{key}` belongs under {' or '.join(f'`{path}`' for path in paths)}"
    else:
        advice = f"known here: {', '.join(sorted(set(choices)))}" if choices else None
    return Diagnostic(UNKNOWN_KEY, f"unknown key `{key}`", locate(loc, key=True), help=advice)


_LIMITS = {
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be at most {le}",
    "too_short": "must have at least {min_length} item(s)",
    "string_too_short": "must not be empty",
    "string_too_long": "must be at most {max_length} characters long",
    "int_parsing_size": "is too large a number",
}


def _invalid(detail: ErrorDetails) -> tuple[str, str | None]:
    """Say what a value must be, and what was most likely meant."""
    kind, value, context = detail["type"], detail["input"], detail.get("ctx", {})
    if kind in {"literal_error", "union_tag_invalid"}:
        return _not_a_choice(str(context.get("expected") or context["expected_tags"]), context.get("tag", value))
    if kind == "union_tag_not_found":
        return f"lacks {str(context['discriminator']).replace(chr(39), '`')}, which says what the rest means", None
    if kind == "string_pattern_mismatch":
        return f"has the wrong form: {_quoted(value)} does not match {context['pattern']}", None
    if kind in _LIMITS:
        said = _LIMITS[kind].format(**context)
        return (f"{said}, not {value}" if isinstance(value, int) else said), None
    said = str(context["error"]) if kind == "value_error" else detail["msg"][:1].lower() + detail["msg"][1:]
    return said, None


def _not_a_choice(expected: str, given: Any) -> tuple[str, str | None]:
    choices = [choice.strip("'") for choice in expected.replace(" or ", ", ").split(", ")]
    if isinstance(given, int | float) and not isinstance(given, bool):
        return f"must be text, but is the number {given}", f'quote it: "{given}"; known: {", ".join(choices)}'
    meant = suggest(str(given), choices) if isinstance(given, str) else None
    return f"must be {_one_of(choices)}, not {_quoted(given)}", f"did you mean `{meant}`?" if meant else None


def _one_of(choices: list[str]) -> str:
    return choices[0] if len(choices) == 1 else f"{', '.join(choices[:-1])} or {choices[-1]}"


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
