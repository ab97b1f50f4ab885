"""Objects to compare, as small as they can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from compiler.diff import Change, Effect, Side, compare, effects
from compiler.objects import Obj

ROOT = "overlays/lab"


def workload(name: str = "nvidia-device-plugin-a", *, kind: str = "DaemonSet", **spec: Any) -> Obj:
    """Return a workload; `spec` overrides its pod's spec, and `node` says which node it is pinned to."""
    node = spec.pop("node", None)
    program = spec.pop("program", "nvidia-device-plugin")
    match = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [match]}}}
    pod = {
        "containers": [{"name": program, "image": "nvcr.io/nvidia/k8s-device-plugin:v0.20.0", "command": [program]}],
        **({"affinity": affinity} if node else {}),
        **spec,
    }
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": "gpu"},
        "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}},
    }


def config_map(name: str, data: Mapping[str, str], **more: Any) -> Obj:
    """Return a ConfigMap."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "gpu"},
        "data": data,
    } | more


def simple(kind: str, name: str = "x", **more: Any) -> Obj:
    """Return an object of any kind, cluster-scoped."""
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, **more}


def changes(old: Sequence[Obj], new: Sequence[Obj], root: str = ROOT) -> list[Change]:
    """Compare objects of one root."""
    return compare({root: old}, {root: new})


def meant(old: Sequence[Obj], new: Sequence[Obj], *, beside: Sequence[Obj] = (), root: str = ROOT) -> list[Effect]:
    """Return what a change of one root does; `beside` are the objects that deliver it."""
    sides = [
        Side(name, {root: list(objects), "flux/lab": list(beside)}) for name, objects in (("old", old), ("new", new))
    ]
    return effects(compare(sides[0].roots, sides[1].roots), *sides)


def told(found: Sequence[Effect]) -> list[str]:
    """Return effects as `weight: text`."""
    return [f"{effect.weight}: {effect.text}" for effect in found]
