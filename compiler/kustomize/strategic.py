"""Strategic merge patches that turn one object into another."""

from __future__ import annotations

from compiler.objects import Json, Obj

MERGE_KEYS = {
    "containers": "name",
    "env": "name",
    "imagePullSecrets": "name",
    "initContainers": "name",
    "ports": "containerPort",
    "volumeMounts": "mountPath",
    "volumes": "name",
}
"""Lists of a pod that Kubernetes merges by a key; it replaces every other list whole.

Source: patchMergeKey in k8s.io/api/core/v1; tolerations have none.
"""


def patch_for(base: Obj, final: Obj) -> Obj | None:
    """Return the strategic merge patch that makes `final` of `base`, or None where they are the same.

    The order of items that both have is not carried over: to Kubernetes these lists are mappings.
    """
    changes = _changes(base, final)
    if not changes:
        return None
    meta = {key: base["metadata"][key] for key in ("name", "namespace") if key in base["metadata"]}
    head = {"apiVersion": base["apiVersion"], "kind": base["kind"], "metadata": {**meta, **changes.pop("metadata", {})}}
    return {**head, **changes}


def _changes(base: Obj, final: Obj) -> Obj:
    result: Obj = {}
    for key, value in final.items():
        old = base.get(key)
        if key not in base or type(old) is not type(value):
            result[key] = value
        elif old != value:
            result[key] = _changed(key, old, value)
    result.update({key: None for key in base if key not in final})
    return result


def _changed(key: str, old: Json, value: Json) -> Json:
    if isinstance(value, dict):
        return _changes(old, value)
    if isinstance(value, list) and key in MERGE_KEYS:
        return _changed_items(MERGE_KEYS[key], old, value)
    return value


def _changed_items(merge_key: str, old: list[Obj], new: list[Obj]) -> list[Obj]:
    before = {item[merge_key]: item for item in old}
    after = {item[merge_key]: item for item in new}
    changed = []
    for key, item in after.items():
        if key not in before:
            changed.append(item)
        elif item != before[key]:
            changed.append({merge_key: key, **_changes(before[key], item)})
    removed: list[Obj] = [{"$patch": "delete", merge_key: key} for key in before if key not in after]
    return changed + removed
