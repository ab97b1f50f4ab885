"""Compares two sets of objects: pairs them up, and lists the fields that differ."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from compiler.diff.fields import FieldChange, fields
from compiler.objects import Json, Obj, ObjectId, object_id

Kind = Literal["added", "removed", "changed"]
WORKLOADS = frozenset({"DaemonSet", "Deployment", "StatefulSet"})
"""Kinds whose controller replaces pods when their template changes."""
_HASH = re.compile(r"-[2456789bcdfghkmt]{10}$")
"""What Kustomize appends to the name of a generated ConfigMap (`compiler.kustomize.generated`)."""
_HASHED = frozenset({"ConfigMap", "Secret"})
_SECRET = "(secret)"  # noqa: S105 -- what is printed in its place
_NOISE = ("metadata.labels", "metadata.annotations")
# Labels and annotations that a tool acts upon.
_ACTED_UPON = re.compile(r"fluxcd\.io/|argocd\.argoproj\.io/|pod-security\.kubernetes\.io/|helm\.sh/(hook|resource)")


@dataclass(frozen=True)
class Change:
    """An object that was added, removed or changed in one Kustomize root.

    `id` carries the name without a generated hash. `restarts` is True for a workload whose pods are replaced: its pod
    template differs in any way, be it only in the name of a ConfigMap whose content changed.
    """

    kind: Kind
    root: str
    id: ObjectId
    fields: tuple[FieldChange, ...] = ()
    restarts: bool = False
    old: Obj | None = field(default=None, repr=False, compare=False)
    new: Obj | None = field(default=None, repr=False, compare=False)

    @property
    def noise(self) -> bool:
        """Whether only labels or annotations differ that nothing acts upon."""
        return (
            self.kind == "changed"
            and not self.restarts
            and all(item.below(*_NOISE) and not _ACTED_UPON.search(repr(item)) for item in self.fields)
        )


def compare(old: Mapping[str, Sequence[Obj]], new: Mapping[str, Sequence[Obj]]) -> list[Change]:
    """Return the changes from one set of roots to another, by root and object.

    Where one side is a plain folder, which has the one root "", the other side's overlays are taken together: what
    delivers them has no counterpart there.
    """
    if ("" in old) != ("" in new):
        old, new = _together(old), _together(new)
    found: list[Change] = []
    for root in sorted(old.keys() | new.keys()):
        before, after = _by_id(old.get(root, ())), _by_id(new.get(root, ()))
        hashes = {**_hashes(old.get(root, ())), **_hashes(new.get(root, ()))}
        for identity in sorted(before.keys() | after.keys()):
            change = _compare(root, before.get(identity), after.get(identity), hashes)
            if change:
                found.append(change)
    return found


def _together(roots: Mapping[str, Sequence[Obj]]) -> dict[str, list[Obj]]:
    wanted = [objects for root, objects in roots.items() if root == "" or root.startswith("overlays/")]
    return {"": [obj for objects in wanted for obj in objects]}


def _compare(root: str, old: Obj | None, new: Obj | None, hashes: Mapping[str, str]) -> Change | None:
    identity = _plain_id(old if new is None else new)
    if old is None or new is None:
        return Change("added" if old is None else "removed", root, identity, old=old, new=new)
    plain = [_hidden(_without_hashes(obj, hashes)) for obj in (old, new)]
    found = tuple(fields(*plain))
    restarts = identity.kind in WORKLOADS and _ordered(_template(old)) != _ordered(_template(new))
    secret = identity.kind == "Secret" and _data(old) != _data(new)
    if secret:
        found = (*found, FieldChange("data", _SECRET, f"{_SECRET}, changed"))
    return Change("changed", root, identity, found, restarts, old, new) if found or restarts else None


def _template(obj: Obj) -> Json:
    spec = obj.get("spec")
    return spec.get("template") if isinstance(spec, dict) else None


def _ordered(value: Json) -> str:
    """Return a text that differs where the API server would see a difference: keys have no order, lists do."""
    return json.dumps(value, sort_keys=True)


def _data(obj: Obj) -> Json:
    return obj.get("data"), obj.get("stringData")


def _hidden(obj: Json) -> Json:
    """Return an object without what a Secret holds, which is never printed."""
    if obj["kind"] != "Secret":
        return obj
    return {key: value for key, value in obj.items() if key not in {"data", "stringData"}}


def _key(identity: ObjectId) -> tuple[str, str, str, str]:
    """Return what tells objects apart: a new version of an API is the same object."""
    group = identity.api_version.rpartition("/")[0]
    return group, identity.kind, identity.namespace, identity.name


def _plain_id(obj: Obj | None) -> ObjectId:
    assert obj is not None  # noqa: S101 -- for mypy: one of two is there
    identity = object_id(obj)
    return identity._replace(name=_HASH.sub("", identity.name)) if identity.kind in _HASHED else identity


def _by_id(objects: Sequence[Obj]) -> dict[tuple[str, str, str, str], Obj]:
    found: dict[tuple[str, str, str, str], Obj] = {}
    for obj in objects:
        key = _key(_plain_id(obj))
        # Two names that differ only in what looks like a hash are two objects.
        found[key if key not in found else _key(object_id(obj))] = obj
    return found


def _hashes(objects: Sequence[Obj]) -> dict[str, str]:
    """Return the generated names among objects, each with its name without the hash."""
    names = [obj["metadata"]["name"] for obj in objects if obj["kind"] in _HASHED]
    return {name: _HASH.sub("", name) for name in names if _HASH.search(name)}


def _without_hashes(value: Json, hashes: Mapping[str, str]) -> Json:
    if isinstance(value, str):
        return hashes.get(value, value)
    if isinstance(value, list):
        return [_without_hashes(item, hashes) for item in value]
    if isinstance(value, dict):
        return {key: _without_hashes(item, hashes) for key, item in value.items()}
    return value
