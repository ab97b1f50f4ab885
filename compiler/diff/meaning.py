"""What changes mean on the cluster, in plain words.

Only what follows from the objects is said. What a restart does to running GPU jobs comes from what each program is:
the device plugin's pods may restart under running jobs, the MPS daemon's may not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from compiler.diff.compare import Change
from compiler.objects import Json, Obj
from compiler.yaml.readback import UnreadableError, load_all

Weight = Literal["breaks", "interrupts", "restarts", "note"]
_WORKLOADS = {"DaemonSet", "Deployment", "StatefulSet"}
_IMMUTABLE = {
    "DaemonSet": ("spec.selector",),
    "Deployment": ("spec.selector",),
    "StatefulSet": ("spec.selector", "spec.serviceName"),
    "Job": ("spec.template", "spec.selector"),
    "RoleBinding": ("roleRef",),
    "ClusterRoleBinding": ("roleRef",),
    "RuntimeClass": ("handler",),
}
"""Fields that the API server refuses to change. Source: k8s.io/kubernetes pkg/apis, the validation of updates."""
_KEPT = ("kustomize.toolkit.fluxcd.io/prune", "disabled")


@dataclass(frozen=True)
class Effect:
    """One sentence about the cluster, and how much it matters."""

    weight: Weight
    text: str


def effects(changes: Sequence[Change], old_files: Mapping[str, str], new_files: Mapping[str, str]) -> list[Effect]:
    """Return what the changes do, the gravest first, each once.

    The files are those of a compiled tree that are no objects, by path: schematics and machine-configuration patches.
    """
    found = [
        *_immutable(changes),
        *_slices(changes),
        *_restarts(changes),
        *_removed(changes),
        *_talos(old_files, new_files),
    ]
    order: tuple[Weight, ...] = ("breaks", "interrupts", "restarts", "note")
    return sorted(dict.fromkeys(found), key=lambda effect: order.index(effect.weight))


def _immutable(changes: Iterable[Change]) -> Iterator[Effect]:
    for change in changes:
        for fixed in _IMMUTABLE.get(change.id.kind, ()):
            if any(item.path == fixed or item.path.startswith((f"{fixed}.", f"{fixed}[")) for item in change.fields):
                yield Effect(
                    "breaks",
                    f"the API server refuses to change {fixed} of {change.id}: the apply fails until it is deleted "
                    f"(`kubectl delete {change.id.kind.lower()} {_named(change)}`)",
                )


def _named(change: Change) -> str:
    return f"-n {change.id.namespace} {change.id.name}" if change.id.namespace else change.id.name


def _restarts(changes: Iterable[Change]) -> Iterator[Effect]:
    for change in changes:
        if change.id.kind not in _WORKLOADS or change.kind != "changed":
            continue
        template = [item for item in change.fields if item.path.startswith("spec.template")]
        if not template and not change.rolled:
            continue
        why = "its configuration changed" if not template else "its pod changed"
        yield Effect(*_restart(f"{change.id.name} restarts on {_nodes(change.new)}: {why}", change.new))


def _restart(text: str, obj: Obj | None) -> tuple[Weight, str]:
    commands = {str(word) for container in _containers(obj) for word in container.get("command") or []}
    if "mps-control-daemon" in commands:
        return "interrupts", f"{text}; running jobs on these cards lose their MPS server and fail"
    if "nvidia-device-plugin" in commands:
        return "restarts", f"{text}; running GPU pods go on, new ones wait until it has registered again"
    return "restarts", text


def _containers(obj: Obj | None) -> list[Obj]:
    found = _get(obj, "spec", "template", "spec", "containers")
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _nodes(obj: Obj | None) -> str:
    """Say where a workload's pods run, as far as its affinity and selector tell."""
    terms = _get(
        obj,
        *("spec", "template", "spec", "affinity", "nodeAffinity"),
        *("requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"),
    )
    names = [
        str(value)
        for term in (terms if isinstance(terms, list) else [])
        for field in term.get("matchFields") or []
        if field.get("operator") == "In"
        for value in field.get("values") or []
    ]
    if names:
        return ", ".join(names)
    labels = [
        f"{item.get('key')} in {', '.join(map(str, item.get('values') or []))}"
        for term in (terms if isinstance(terms, list) else [])
        for item in term.get("matchExpressions") or []
    ]
    selector = _get(obj, "spec", "template", "spec", "nodeSelector")
    labels += [f"{key}={value}" for key, value in (selector or {}).items()] if not labels else []
    if labels:
        return "nodes with " + " and ".join(labels)
    return "every node" if obj and obj["kind"] == "DaemonSet" else "a node"


def _get(value: Json, *route: str) -> Json:
    for key in route:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _slices(changes: Iterable[Change]) -> Iterator[Effect]:
    for change in changes:
        if change.id.kind != "ConfigMap" or change.kind != "changed":
            continue
        before, after = _sharing(change.old), _sharing(change.new)
        for resource in sorted(before.keys() | after.keys()):
            was, now = before.get(resource, 1), after.get(resource, 1)
            if was != now:
                fewer = "; pods beyond that stay Pending once theirs end" if now < was else ""
                pool = change.id.name.removeprefix("nvidia-device-plugin-config-")
                yield Effect("note", f"slices of {resource} a card on {pool}: {was} before, {now} after{fewer}")


def _sharing(obj: Obj | None) -> dict[str, int]:
    """Return the replicas of each shared resource in a plugin's configuration."""
    text = _get(obj, "data", "config.yaml")
    if not isinstance(text, str):
        return {}
    try:
        (document,) = load_all(text)
    except (UnreadableError, ValueError):
        return {}
    found = {}
    for strategy in ("timeSlicing", "mps"):
        for item in _get(document, "sharing", strategy, "resources") or []:
            if isinstance(item, dict) and isinstance(item.get("replicas"), int):
                found[str(item.get("name"))] = int(item["replicas"])
    return found


def _removed(changes: Iterable[Change]) -> Iterator[Effect]:
    for change in changes:
        if change.kind != "removed" or change.id.kind == "ConfigMap":
            continue
        kept = (_get(change.old, "metadata", "annotations") or {}).get(_KEPT[0]) == _KEPT[1]
        if kept:
            yield Effect("note", f"{change.id} leaves the tree but stays on the cluster: it is never pruned")
        elif change.id.kind in _WORKLOADS:
            yield Effect("interrupts", f"{change.id} is pruned, with its pods on {_nodes(change.old)}")
        else:
            yield Effect("note", f"{change.id} is pruned")


def _talos(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Effect]:
    for path in sorted(new):
        folder, _, name = path.rpartition("/")
        pool = folder.rpartition("/")[2]
        if old.get(path) == new[path] or path not in old:
            continue
        if name == "image.yaml":
            yield Effect(
                "interrupts",
                f"the nodes of {pool} need another Talos image: upgrade them, which reboots (out/{folder})",
            )
        elif name == "machine-config.patch.yaml":
            yield Effect(
                "note",
                f"the machine configuration of {pool} changes: patch the nodes (out/{folder}); taints and restricted "
                "labels of a node that has registered change with kubectl only",
            )
