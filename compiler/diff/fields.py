"""Lists the fields in which two values differ, as a reviewer names them: list items by key, files line by line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from compiler.objects import Json
from compiler.yaml.readback import UnreadableError, load_all


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
"""Stands for a field that is not there, which null is not."""

# By what Kubernetes and Prometheus tell items of a list apart. The first that tells all items of both lists apart is
# taken; a port is what it serves.
_KEYS: Final[tuple[Callable[[dict[str, Json]], Json], ...]] = (
    lambda item: item.get("name"),
    lambda item: item.get("mountPath"),
    lambda item: item.get("alert") or item.get("record"),
    lambda item: item.get("containerPort") or item.get("port"),
    lambda item: item.get("key"),
)
_PAIRED_AT_MOST: Final = 50
_MAX_DEPTH: Final = 100


@dataclass(frozen=True)
class FieldChange:
    """A field that differs. `old` and `new` are plain data, or ABSENT."""

    path: str
    old: Json
    new: Json

    def below(self, *routes: str) -> bool:
        """Return whether the field is one of these, or within one."""
        return any(self.path == route or self.path.startswith((f"{route}.", f"{route}[")) for route in routes)


def fields(old: Json, new: Json, path: str = "", depth: int = 0) -> Iterator[FieldChange]:
    """Yield the fields in which two values differ, outermost keys in order."""
    if type(old) is type(new) and old == new and not isinstance(old, dict | list):
        return
    if depth > _MAX_DEPTH:
        if old != new:
            yield FieldChange(path, old, new)
    elif isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys(), key=str):
            yield from fields(old.get(key, ABSENT), new.get(key, ABSENT), _join(path, str(key)), depth + 1)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _items(old, new, path, depth)
    elif isinstance(old, str) and isinstance(new, str) and "\n" in old + new:
        yield from _text(old, new, path, depth)
    else:
        yield FieldChange(path, old, new)


def _items(old: list[Json], new: list[Json], path: str, depth: int) -> Iterator[FieldChange]:
    """Compare lists by the key of their items where they have one, else as sets of values."""
    for key in _KEYS:
        before, after = _keyed(old, key), _keyed(new, key)
        if before is None or after is None:
            continue
        for name in [*before, *(name for name in after if name not in before)]:
            yield from fields(before.get(name, ABSENT), after.get(name, ABSENT), f"{path}[{name}]", depth + 1)
        common = [name for name in before if name in after]
        if common != [name for name in after if name in before]:
            yield FieldChange(f"{path} (order)", list(before), list(after))
        return
    gone, come = _without(old, new), _without(new, old)
    if not gone and not come:
        if _texts(old) != _texts(new):
            yield FieldChange(f"{path} (order)", old, new)
        return
    for left, right in _pairs(gone, come):
        yield from fields(left, right, f"{path}[]", depth + 1)


def _keyed(items: list[Json], key: Callable[[dict[str, Json]], Json]) -> dict[str, Json] | None:
    found: dict[str, Json] = {}
    for item in items:
        name = key(item) if isinstance(item, dict) else None
        if not isinstance(name, str | int) or str(name) in found:
            return None
        found[str(name)] = item
    return found


def _texts(items: list[Json]) -> list[str]:
    return [json.dumps(item, sort_keys=True) for item in items]


def _without(items: list[Json], others: list[Json]) -> list[Json]:
    """Return the items that the other list does not have, or has fewer times."""
    left = Counter(_texts(others))
    found = []
    for item, text in zip(items, _texts(items), strict=True):
        if left[text]:
            left[text] -= 1
        else:
            found.append(item)
    return found


def _pairs(gone: list[Json], come: list[Json]) -> Iterator[tuple[Json, Json]]:
    """Pair items that went with items that came: a change of one item reads better than two."""
    waiting = list(come)
    if len(gone) == len(come) == 1 and isinstance(gone[0], dict) and isinstance(come[0], dict):
        yield gone[0], come[0]
        return
    for item in gone:
        best = max(waiting[:_PAIRED_AT_MOST], key=lambda other: _alike(item, other), default=ABSENT)
        if best is not ABSENT and _alike(item, best):
            waiting.remove(best)
            yield item, best
        else:
            yield item, ABSENT
    yield from ((ABSENT, item) for item in waiting)


def _alike(one: Json, other: Json) -> int:
    """Count the keys with equal values."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return 0
    return sum(key in other and other[key] == value for key, value in one.items())


def _text(old: str, new: str, path: str, depth: int) -> Iterator[FieldChange]:
    """Compare files: as data where both are YAML or JSON mappings, else line by line."""
    before, after = _parsed(old, path), _parsed(new, path)
    if before is not None and after is not None:
        found = list(fields(before, after, f"{path}: ", depth + 1))
        if found:
            yield from found
            return
    gone, come = _without(old.splitlines(), new.splitlines()), _without(new.splitlines(), old.splitlines())
    if not gone and not come:
        yield FieldChange(f"{path} (order of lines)", ABSENT, ABSENT)
    for index in range(max(len(gone), len(come))):
        left = gone[index].strip() if index < len(gone) else ABSENT
        right = come[index].strip() if index < len(come) else ABSENT
        yield FieldChange(path, left, right)


def _parsed(text: str, path: str) -> dict[str, Json] | None:
    """Return what a file in a ConfigMap holds, if its name says that it is YAML or JSON and it is a mapping."""
    if not path.rstrip("]").endswith((".yaml", ".yml", ".json")):
        return None
    try:
        documents = load_all(text)
    except UnreadableError:
        return None
    only = documents[0] if len(documents) == 1 else None
    return only if isinstance(only, dict) else None


def _join(path: str, key: str) -> str:
    shown = f"[{key}]" if "." in key or "/" in key else key
    return f"{path}{'' if shown.startswith('[') or not path or path.endswith(': ') else '.'}{shown}"
