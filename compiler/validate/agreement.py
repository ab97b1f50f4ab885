"""Compares what kustomize built with what the compiler had in memory, field by field."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from compiler.diagnostics import Diagnostic, Place
from compiler.objects import Json, Obj, ObjectId, object_id
from compiler.validate import codes
from compiler.validate.wording import field

_ABSENT: Final = object()
_FIELDS_AN_OBJECT: Final = 10
_LONGEST: Final = 200

# Lists that Kubernetes merges by key, whose order says nothing. Containers and the rest are compared in order.
_KEYS: Final[dict[str, Callable[[Obj], Json]]] = {
    "env": lambda item: item.get("name"),
    "volumes": lambda item: item.get("name"),
    "volumeMounts": lambda item: item.get("mountPath"),
    "ports": lambda item: (item.get("containerPort", item.get("port")), item.get("protocol", "TCP")),
}


class Difference(NamedTuple):
    """A field that differs: its route, and both values as text ("nothing" where the field is absent)."""

    route: tuple[str, ...]
    expected: str
    actual: str


def compare(expected: Sequence[Obj], actual: Sequence[Obj], place: Place | None = None) -> list[Diagnostic]:
    """Return a finding for every object and field in which two sets of objects differ; the objects' order is free.

    `expected` is what the compiler had in memory, `actual` what kustomize built; `place` is blamed in each finding.
    """
    ours, theirs = _by_id(expected), _by_id(actual)
    found: list[str] = []
    for objects, whose in ((ours, "compiled"), (theirs, "built by kustomize")):
        found += [f"{identity} is {whose} {len(same)} times" for identity, same in objects.items() if len(same) > 1]
    found += [f"kustomize does not build {identity}" for identity in ours if identity not in theirs]
    found += [f"kustomize builds {identity}, which was not compiled" for identity in theirs if identity not in ours]
    for identity in ours.keys() & theirs.keys():
        for route, left, right in islice(differences(ours[identity][0], theirs[identity][0]), _FIELDS_AN_OBJECT):
            found.append(f"{identity}: {field(route)} was compiled as {left}, and kustomize builds {right}")
    return [
        Diagnostic(
            codes.BUILD_DIFFERS,
            f"{what}; what was checked is not what would be applied",
            place,
            help="this is a bug in gpuc: please report it with the inputs",
        )
        for what in sorted(found)
    ]


def differences(expected: Json, actual: Json, route: tuple[str, ...] = ()) -> Iterator[Difference]:
    """Yield the fields in which two values differ, deepest first where they can be told apart."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in sorted(expected.keys() | actual.keys(), key=str):
            left, right = expected.get(key, _ABSENT), actual.get(key, _ABSENT)
            yield from differences(left, right, (*route, str(key)))
    elif isinstance(expected, list) and isinstance(actual, list):
        yield from _in_lists(expected, actual, route)
    elif type(expected) is not type(actual) or expected != actual:
        yield Difference(route, _shown(expected), _shown(actual))


def _in_lists(expected: list[Json], actual: list[Json], route: tuple[str, ...]) -> Iterator[Difference]:
    ours = _keyed(route[-1] if route else "", expected)
    theirs = _keyed(route[-1] if route else "", actual)
    if ours is not None and theirs is not None:
        for key in sorted(ours.keys() | theirs.keys(), key=str):
            index, left = ours.get(key, (None, _ABSENT))
            other, right = theirs.get(key, (None, _ABSENT))
            yield from differences(left, right, (*route, str(other if index is None else index)))
        return
    for index in range(max(len(expected), len(actual))):
        left = expected[index] if index < len(expected) else _ABSENT
        right = actual[index] if index < len(actual) else _ABSENT
        yield from differences(left, right, (*route, str(index)))


def _keyed(name: str, items: list[Json]) -> dict[Json, tuple[int, Json]] | None:
    """Return a list's items by the key that Kubernetes merges them by, or None where that does not tell them apart."""
    key = _KEYS.get(name)
    if key is None or not all(isinstance(item, dict) for item in items):
        return None
    found = {json.dumps(key(item)): (index, item) for index, item in enumerate(items)}
    return found if len(found) == len(items) else None


def _by_id(objects: Sequence[Obj]) -> dict[ObjectId, list[Obj]]:
    found: dict[ObjectId, list[Obj]] = {}
    for obj in objects:
        found.setdefault(object_id(obj), []).append(obj)
    return found


def _shown(value: Json) -> str:
    if value is _ABSENT:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
