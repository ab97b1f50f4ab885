"""What Kustomize's configMapGenerator makes, computed the same way in memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from compiler.kustomize.annotate import substitution
from compiler.objects import Json, Obj

_SAFE = str.maketrans("013ae", "ghkmt")


def hashed_name(name: str, data: Mapping[str, str]) -> str:
    """Return a generated ConfigMap's name with the hash of its content.

    Source: sigs.k8s.io/kustomize/api/hasher: SHA-256 over the JSON of data, kind and name, of which ten hex digits are
    kept, with digits and vowels that could form words replaced. The name is always empty there: it is looked up under a
    path that no object has. Go's encoder escapes &, < and > and two line separators.
    """
    text = json.dumps(
        {"data": dict(data), "kind": "ConfigMap", "name": ""}, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    for char in "&<>\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{name}-{digest[:10].translate(_SAFE)}"


def config_map(name: str, namespace: str, data: Mapping[str, str], own_labels: Mapping[str, str] | None = None) -> Obj:
    """Return a generated ConfigMap under its hashed name."""
    labels = {"labels": dict(own_labels)} if own_labels else {}
    annotations = {"annotations": added} if (added := substitution(data)) else {}
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": hashed_name(name, data), "namespace": namespace, **labels, **annotations},
        "data": dict(data),
    }


def rename_config_maps(obj: Obj, names: Mapping[str, str]) -> Obj:
    """Return the object with every ConfigMap it refers to under its new name, as Kustomize's name references do."""
    return _renamed(obj, names, "")  # type: ignore[no-any-return]


def _renamed(value: Json, names: Mapping[str, str], parent: str) -> Json:
    if isinstance(value, list):
        return [_renamed(item, names, parent) for item in value]
    if not isinstance(value, dict):
        return value
    refers = parent in {"configMap", "configMapKeyRef", "configMapRef"}
    return {
        key: names.get(item, item) if refers and key == "name" and isinstance(item, str) else _renamed(item, names, key)
        for key, item in value.items()
    }
