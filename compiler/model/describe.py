"""Walks the input models by the locations that Pydantic reports, to say what would have been right there."""

from __future__ import annotations

import types
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, Tag
from pydantic.fields import FieldInfo

Location = tuple[int | str, ...]


def _members(annotation: Any) -> Iterator[tuple[str | None, Any]]:
    """Yield what an annotation may be, each with the tag by which a union knows it."""
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *metadata = get_args(annotation)
        tag = next((item.tag for item in metadata if isinstance(item, Tag)), None)
        for own, member in _members(inner):
            yield tag or own, member
    elif origin in (Union, types.UnionType):
        for member in get_args(annotation):
            yield from _members(member)
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield _literal_tag(annotation), annotation
    else:
        yield None, annotation


def _literal_tag(model: type[BaseModel]) -> str | None:
    for name in ("strategy", "os", "managed"):
        values = get_args(model.model_fields[name].annotation) if name in model.model_fields else ()
        if len(values) == 1:
            return str(values[0])
    return None


def _fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _step(annotation: Any, segment: int | str) -> Any:
    """Return the annotation one location segment further down, or None where the models have no such place."""
    for tag, member in _members(annotation):
        if isinstance(member, type) and issubclass(member, BaseModel):
            if segment == tag:
                return member
            if segment in _fields(member):
                return _fields(member)[str(segment)]
        elif isinstance(segment, int) and get_origin(member) is tuple:
            return get_args(member)[0]
        elif isinstance(segment, str) and get_origin(member) is dict:
            return get_args(member)[1]
        elif segment == tag:
            return member
    return None


def _walk(model: type[BaseModel], loc: Location) -> tuple[Any, FieldInfo | None]:
    """Return the annotation at a location, and the nearest field on the way to it."""
    annotation: Any = model
    field: FieldInfo | None = None
    for segment in loc:
        step = _step(annotation, segment)
        if step is None:
            break
        if isinstance(step, FieldInfo):
            field, annotation = step, Annotated[step.annotation, *step.metadata] if step.metadata else step.annotation
        else:
            annotation = step
    return annotation, field


def keys_at(model: type[BaseModel], loc: Location) -> list[str]:
    """Return the keys that a mapping at this location may have; empty where it is not one of the models."""
    annotation, _ = _walk(model, loc)
    return [
        key
        for _, member in _members(annotation)
        if isinstance(member, type) and issubclass(member, BaseModel)
        for key in _fields(member)
    ]


def members_at(model: type[BaseModel], loc: Location) -> list[tuple[str | None, list[str]]]:
    """Return the models that a mapping at this location may be, each as its tag in a union and its keys."""
    annotation, _ = _walk(model, loc)
    return [
        (tag, list(_fields(member)))
        for tag, member in _members(annotation)
        if isinstance(member, type) and issubclass(member, BaseModel)
    ]


def description_at(model: type[BaseModel], loc: Location) -> str | None:
    """Return what the field at this location is for."""
    _, field = _walk(model, loc)
    return field.description if field else None


def _all_keys(model: type[BaseModel], path: str, seen: frozenset[type]) -> Iterator[tuple[str, str]]:
    for key, field in _fields(model).items():
        here = f"{path}.{key}" if path else key
        yield key, here
        for _, member in _members(field.annotation):
            item, suffix = (get_args(member)[0], "[]") if get_origin(member) is tuple else (member, "")
            for _, inner in _members(item):
                if isinstance(inner, type) and issubclass(inner, BaseModel) and inner not in seen:
                    yield from _all_keys(inner, here + suffix, seen | {inner})


def suggest(word: str, choices: list[str]) -> str | None:
    """Return the choice that the word was most likely meant to be."""
    by_plain = {choice.lower().replace("-", "").replace("_", ""): choice for choice in choices}
    close = get_close_matches(word.lower().replace("-", "").replace("_", ""), by_plain, n=1, cutoff=0.7)
    return by_plain[close[0]] if close else None


def elsewhere(model: type[BaseModel], key: str, above: Location) -> list[str]:
    """Return the paths at which the models do have this key: below `above` if there are any, then shortest first."""
    start = f"{above[0]}." if above else ""
    found = sorted(
        {path for name, path in _all_keys(model, "", frozenset({model})) if name == key},
        key=lambda p: (p.count("."), p),
    )
    near = [path for path in found if start and path.startswith(start)]
    return near[:3] or found[:2]
