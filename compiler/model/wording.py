"""Says in plain words what a value is, and what it must be, from what Pydantic reports."""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import ErrorDetails

from compiler.model.advice import look_alike, plain_letters
from compiler.model.describe import suggest
from compiler.model.scalars import FORMS

WANTED = {
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


def is_a(value: Any, source: str) -> str:
    """Say what a value is; `source` is how it stands in the file."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, int | float):
        return f"the number {source}"
    if isinstance(value, str):
        return f"the text {_quoted(value)}"
    return "a list" if isinstance(value, list) else "a mapping"


def _quoted(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else f"`{value}`"
    return text if len(text) <= 80 else text[:77] + "..."  # noqa: PLR2004 -- a line of a terminal


def key_of_union(detail: ErrorDetails) -> str:
    """Return the key that tells a union's members apart: its name, or that of the function that looks at it."""
    return str(detail["ctx"]["discriminator"]).strip("'").rstrip("()").lstrip("_")


_LIMITS = {
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be at most {le}",
    "too_short": "must have at least {min_length} {items}",
    "too_long": "must have at most {max_length} {items}",
    "string_too_short": "must not be empty",
    "string_too_long": "must be at most {max_length} characters long",
    "int_parsing_size": "is too large a number",
}


def invalid(detail: ErrorDetails, source: str) -> tuple[str, str | None]:
    """Say what a value must be, and what was most likely meant."""
    kind, value, context = detail["type"], detail["input"], detail.get("ctx", {})
    if kind in {"literal_error", "union_tag_invalid"}:
        given = value.get(key_of_union(detail), context.get("tag")) if isinstance(value, dict) else value
        return _not_a_choice(str(context.get("expected") or context["expected_tags"]), given, source)
    if kind == "union_tag_not_found":
        return f"lacks {str(context['discriminator']).replace(chr(39), '`')}, which says what the rest means", None
    if kind == "string_pattern_mismatch":
        says = FORMS.get(context["pattern"])
        return f"{says or 'has the wrong form: it does not match ' + context['pattern']}, not {_quoted(value)}", None
    if kind in _LIMITS:
        said = _LIMITS[kind].format(**context, items="characters" if isinstance(value, str) else "items")
        if context.get("min_length") == 1:
            said = "must not be empty"
        return (f"{said}, not {value}" if isinstance(value, int) else said), _LIMIT_ADVICE.get(
            (str(detail["loc"][-1]), kind)
        )
    if kind == "value_error":
        given = f", not {_quoted(value)}" if str(context["error"]).startswith("must be") else ""
        return f"{context['error']}{given}", getattr(context["error"], "help", None)
    return detail["msg"][:1].lower() + detail["msg"][1:], None


_LIMIT_ADVICE = {
    ("replicas", "greater_than_equal"): "one slice of a card is the whole card: write `sharing: {strategy: none}`"
}


def _not_a_choice(expected: str, given: Any, source: str) -> tuple[str, str | None]:
    choices = [choice.strip("'") for choice in expected.replace(" or ", ", ").split(", ")]
    if isinstance(given, int | float) and not isinstance(given, bool):
        meant = source if source in choices else choices[-1]
        return f"must be text, but is the number {source}", f'quote it: "{meant}"; known: {", ".join(choices)}'
    said = f"must be {_one_of(choices)}, not {_quoted(given)}"
    if not isinstance(given, str):
        return said, None
    close = suggest(plain_letters(given), choices)
    return said + look_alike(given), f"did you mean `{close}`?" if close else None


def _one_of(choices: list[str]) -> str:
    return choices[0] if len(choices) == 1 else f"{', '.join(choices[:-1])} or {choices[-1]}"
