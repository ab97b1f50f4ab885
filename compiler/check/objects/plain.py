"""Reads objects whose shape nobody has checked: what is not as expected counts as not there."""

from __future__ import annotations

from collections.abc import Iterator

from compiler.objects import Json, Obj


def mapping(value: Json) -> Obj:
    """Return the value if it is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Json) -> Iterator[tuple[int, Obj]]:
    """Yield the mappings in a list, each with its index."""
    for index, item in enumerate(value if isinstance(value, list) else []):
        if isinstance(item, dict):
            yield index, item


def strings(value: Json) -> list[str]:
    """Return the strings in a list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def text(value: Json) -> str:
    """Return the value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def texts(value: Json) -> dict[str, str]:
    """Return those entries of a mapping that are strings, such as labels."""
    return {key: item for key, item in mapping(value).items() if isinstance(item, str)}
