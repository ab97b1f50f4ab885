"""Compares two sets of objects: pairs them up, and lists the fields that differ."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from compiler.objects import Json, Obj, ObjectId, object_id

Kind = Literal["added", "removed", "changed"]
_HASH = re.compile(r"-[2456789bcdfghkmt]{10}$")
"""What Kustomize appends to the name of a generated ConfigMap (`compiler.kustomize.generated`)."""
_KEYS = ("name", "mountPath", "containerPort", "key", "port")
_ABSENT = object()
_LONGEST = 120


@dataclass(frozen=True)
class FieldChange:
    """A field that differs; `old` and `new` are shown as JSON, and empty where the field is absent."""

    path: str
    old: str
    new: str


@dataclass(frozen=True)
class Change:
    """An object that was added, removed or changed in one Kustomize root.

    `id` carries the name without a generated hash. `rolled` is True when a generated ConfigMap that the object mounts
    has another name, so that its pods restart though nothing else differs.
    """

    kind: Kind
    root: str
    id: ObjectId
    fields: tuple[FieldChange, ...] = ()
    rolled: bool = False
    old: Obj | None = field(default=None, repr=False, compare=False)
    new: Obj | None = field(default=None, repr=False, compare=False)


def compare(old: Mapping[str, Sequence[Obj]], new: Mapping[str, Sequence[Obj]]) -> list[Change]:
    """Return the changes from one set of roots to another, by root and object."""
    found: list[Change] = []
    for root in sorted(old.keys() | new.keys()):
        before, after = _by_id(old.get(root, ())), _by_id(new.get(root, ()))
        hashes = {**_hashes(old.get(root, ())), **_hashes(new.get(root, ()))}
        for identity in sorted(before.keys() | after.keys()):
            change = _compare(root, identity, before.get(identity), after.get(identity), hashes)
            if change:
                found.append(change)
    return found


def _compare(
    root: str, identity: ObjectId, old: Obj | None, new: Obj | None, hashes: Mapping[str, str]
) -> Change | None:
    if old is None or new is None:
        return Change("added" if old is None else "removed", root, identity, old=old, new=new)
    plain_old, plain_new = _without_hashes(old, hashes), _without_hashes(new, hashes)
    fields = tuple(_fields(plain_old, plain_new, ""))
    rolled = identity.kind != "ConfigMap" and plain_old == plain_new and old != new
    rolled = rolled or (identity.kind != "ConfigMap" and _mounted(old, hashes) != _mounted(new, hashes))
    return Change("changed", root, identity, fields, rolled, old, new) if fields or rolled else None


def _by_id(objects: Sequence[Obj]) -> dict[ObjectId, Obj]:
    found = {}
    for obj in objects:
        identity = object_id(obj)
        if identity.kind in {"ConfigMap", "Secret"}:
            identity = identity._replace(name=_HASH.sub("", identity.name))
        found[identity] = obj
    return found


def _hashes(objects: Sequence[Obj]) -> dict[str, str]:
    """Return the generated names among objects, each with its name without the hash."""
    names = [obj["metadata"]["name"] for obj in objects if obj["kind"] in {"ConfigMap", "Secret"}]
    return {name: _HASH.sub("", name) for name in names if _HASH.search(name)}


def _without_hashes(value: Json, hashes: Mapping[str, str]) -> Json:
    if isinstance(value, str):
        return hashes.get(value, value)
    if isinstance(value, list):
        return [_without_hashes(item, hashes) for item in value]
    if isinstance(value, dict):
        return {key: _without_hashes(item, hashes) for key, item in value.items()}
    return value


def _mounted(value: Json, hashes: Mapping[str, str]) -> set[str]:
    """Return the generated names that occur in an object."""
    if isinstance(value, str):
        return {value} if value in hashes else set()
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return set().union(*(_mounted(item, hashes) for item in items))


def _fields(old: Json, new: Json, path: str) -> Iterator[FieldChange]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys(), key=str):
            yield from _fields(old.get(key, _ABSENT), new.get(key, _ABSENT), _join(path, str(key)))
    elif isinstance(old, list) and isinstance(new, list):
        yield from _items(old, new, path)
    elif isinstance(old, str) and isinstance(new, str) and "\n" in old + new:
        yield from _lines(old, new, path)
    elif type(old) is not type(new) or old != new:
        yield FieldChange(path, _shown(old), _shown(new))


def _items(old: list[Json], new: list[Json], path: str) -> Iterator[FieldChange]:
    """Compare lists by the key of their items where they have one, else as sets of values."""
    for key in _KEYS:
        before, after = _keyed(old, key), _keyed(new, key)
        if before is not None and after is not None:
            for name in [*before, *(name for name in after if name not in before)]:
                yield from _fields(before.get(name, _ABSENT), after.get(name, _ABSENT), f"{path}[{name}]")
            return
    gone = [item for item in old if item not in new]
    come = [item for item in new if item not in old]
    if not gone and not come and old != new:
        yield FieldChange(path, _shown(old), _shown(new))
    for index in range(max(len(gone), len(come))):
        left = gone[index] if index < len(gone) else _ABSENT
        right = come[index] if index < len(come) else _ABSENT
        yield from _fields(left, right, f"{path}[]")


def _keyed(items: list[Json], key: str) -> dict[str, Json] | None:
    if not all(isinstance(item, dict) and isinstance(item.get(key), str | int) for item in items):
        return None
    found = {str(item[key]): item for item in items}
    return found if len(found) == len(items) else None


def _lines(old: str, new: str, path: str) -> Iterator[FieldChange]:
    """Compare texts of several lines, such as a configuration file, line by line."""
    before, after = old.splitlines(), new.splitlines()
    gone = [line for line in before if line not in after]
    come = [line for line in after if line not in before]
    for index in range(max(len(gone), len(come))):
        left = gone[index].strip() if index < len(gone) else ""
        right = come[index].strip() if index < len(come) else ""
        yield FieldChange(path, left, right)
    if not gone and not come:
        yield FieldChange(path, "(the same lines", "in another order)")


def _join(path: str, key: str) -> str:
    shown = f"[{key}]" if "." in key or "/" in key else key
    return f"{path}{'' if shown.startswith('[') or not path else '.'}{shown}"


def _shown(value: Json) -> str:
    if value is _ABSENT:
        return ""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
