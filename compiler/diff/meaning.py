"""What changes mean on the cluster, in plain words. Only what follows from the objects is said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from compiler.diff.compare import WORKLOADS, Change
from compiler.diff.effect import WEIGHTS, Effect, get, listed
from compiler.diff.pods import pod_effects
from compiler.diff.pruning import pruning_effects
from compiler.diff.sharing import sharing_effects
from compiler.diff.side import Side

_IMMUTABLE = {
    "DaemonSet": ("spec.selector",),
    "Deployment": ("spec.selector",),
    "StatefulSet": ("spec.selector", "spec.serviceName", "spec.volumeClaimTemplates", "spec.podManagementPolicy"),
    "Job": ("spec.template", "spec.selector", "spec.completionMode"),
    "RoleBinding": ("roleRef",),
    "ClusterRoleBinding": ("roleRef",),
    "RuntimeClass": ("handler",),
    "PriorityClass": ("value", "preemptionPolicy"),
    "CustomResourceDefinition": ("spec.group", "spec.names.kind", "spec.scope"),
}
"""Fields that the API server refuses to change. Source: k8s.io/kubernetes pkg/apis, the validation of updates."""
_ENFORCE = "pod-security.kubernetes.io/enforce"


def effects(changes: Sequence[Change], old: Side, new: Side) -> list[Effect]:
    """Return what the changes from one side to the other do, the gravest first, each once."""
    found = [
        *_immutable(changes),
        *sharing_effects(changes),
        *pod_effects(changes),
        *_classes_and_namespaces(changes),
        *pruning_effects(changes, old, new),
        # A plain folder of manifests says nothing of these files.
        *(_beside(old.files, new.files) if ("" in old.roots) == ("" in new.roots) else ()),
    ]
    return sorted(dict.fromkeys(found), key=lambda effect: WEIGHTS.index(effect.weight))


def _immutable(changes: Iterable[Change]) -> Iterator[Effect]:
    for change in changes:
        fixed = _IMMUTABLE.get(change.id.kind, ())
        if change.id.kind == "ConfigMap" and get(change.old, "immutable") is True:
            fixed = ("data", "binaryData", "immutable")
        for route in fixed:
            if any(item.below(route) for item in change.fields):
                where = f"-n {change.id.namespace} " if change.id.namespace else ""
                stops = ", which stops its pods" if change.id.kind in WORKLOADS else ""
                yield Effect(
                    "breaks",
                    f"the API server refuses to change {route} of {change.id}: the apply fails until it is deleted "
                    f"(`kubectl delete {change.id.kind.lower()} {where}{change.id.name}`{stops})",
                )


def _classes_and_namespaces(changes: Iterable[Change]) -> Iterator[Effect]:
    for change in changes:
        kind, name = change.id.kind, change.id.name
        if change.kind == "removed" and kind == "RuntimeClass":
            yield Effect("interrupts", f"without RuntimeClass {name}, new pods that name it are refused")
        elif change.kind == "removed" and kind == "Namespace":
            yield Effect("interrupts", f"if Namespace {name} is deleted, everything in it is deleted too")
        elif change.kind == "removed" and kind == "CustomResourceDefinition":
            yield Effect("interrupts", f"if {name} is deleted, every object of this kind is deleted too")
        elif change.kind == "changed" and kind == "Namespace":
            before, level = (get(obj, "metadata", "labels", _ENFORCE) for obj in (change.old, change.new))
            if level not in (before, None, "privileged"):
                yield Effect(
                    "interrupts",
                    f"Pod Security of {name} becomes {level}: new pods that mount paths of the node are refused",
                )


def _beside(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Effect]:
    """Yield what files mean that no GitOps tool applies: Talos's, and components that workloads include."""
    for path in sorted(new):
        folder, _, name = path.rpartition("/")
        pool = folder.rpartition("/")[2]
        if old.get(path) == new[path] or not path.startswith("talos/"):
            continue
        if name == "schematic.yaml" and path not in old and new[path] not in old.values():
            yield Effect("note", f"the Talos image of {pool} is described now: out/{folder}/README.md")
        elif name == "image.yaml" and path in old:
            yield Effect(
                "interrupts",
                f"the nodes of {pool} need another Talos image: each upgrade reboots the node and ends its jobs "
                f"(commands in out/{folder}/README.md)",
            )
        elif name == "machine-config.patch.yaml" and path in old:
            yield Effect(
                "note",
                f"the machine configuration of {pool} changes: `talosctl patch machineconfig` (out/{folder}/README.md);"
                " a node that has registered changes its taints and restricted labels by kubectl only",
            )
    changed = [
        "/".join(path.split("/")[:4])
        for path in sorted(old.keys() | new.keys())
        if path.startswith("components/") and old.get(path) != new.get(path) and not path.endswith(".md")
    ]
    if changed:
        yield Effect("note", f"workloads that include {listed(changed)} change with their next build")
