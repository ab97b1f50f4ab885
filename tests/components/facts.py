"""What has to hold for the objects of any stack, as lists of what does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from compiler.objects import Obj

CLUSTER_SCOPED = {
    "ClusterRole",
    "ClusterRoleBinding",
    "CustomResourceDefinition",
    "Namespace",
    "NodeFeatureRule",
    "RuntimeClass",
}
WORKLOADS = ("DaemonSet", "Deployment")


def of_kind(objects: Sequence[Obj], *kinds: str) -> list[Obj]:
    return [obj for obj in objects if obj["kind"] in kinds]


def shown(obj: Obj) -> str:
    return f"{obj['kind']}/{obj['metadata']['name']}"


def pod(obj: Obj) -> Obj:
    """Return the pod of a workload."""
    found: Obj = obj["spec"]["template"]
    return found


def selects(selector: dict[str, str], labels: dict[str, str]) -> bool:
    return selector.items() <= labels.items()


def overlapping_selectors(objects: Sequence[Obj]) -> list[str]:
    """Return pairs of workloads of which one would take the other's pods for its own."""
    workloads = of_kind(objects, *WORKLOADS)
    return [
        f"{shown(one)} selects pods of {shown(other)}"
        for one, other in permutations(workloads, 2)
        if selects(one["spec"]["selector"]["matchLabels"], pod(other)["metadata"]["labels"])
    ]


def unselected_pods(objects: Sequence[Obj]) -> list[str]:
    """Return workloads that do not select their own pods."""
    return [
        shown(obj)
        for obj in of_kind(objects, *WORKLOADS)
        if not selects(obj["spec"]["selector"]["matchLabels"], pod(obj)["metadata"]["labels"])
    ]


def dangling_references(objects: Sequence[Obj], external: Sequence[str] = ()) -> list[str]:
    """Return references to objects that are neither among `objects` nor in `external` (as `Kind/name`)."""
    there = {shown(obj) for obj in objects} | set(external)
    return [f"{shown(obj)} to {target}" for obj in objects for target in _references(obj) if target not in there]


def unused(objects: Sequence[Obj], *kinds: str) -> list[str]:
    """Return objects of these kinds that no other object refers to."""
    used = {target for obj in objects for target in _references(obj)}
    return [shown(obj) for obj in of_kind(objects, *kinds) if shown(obj) not in used]


def _references(obj: Obj) -> Iterator[str]:
    if obj["kind"] in {"RoleBinding", "ClusterRoleBinding"}:
        yield f"{obj['roleRef']['kind']}/{obj['roleRef']['name']}"
        yield from (f"{subject['kind']}/{subject['name']}" for subject in obj["subjects"])
    if obj["kind"] in WORKLOADS:
        spec = pod(obj)["spec"]
        yield f"ServiceAccount/{spec['serviceAccountName']}"
        if "runtimeClassName" in spec:
            yield f"RuntimeClass/{spec['runtimeClassName']}"
        for volume in spec.get("volumes", []):
            if "configMap" in volume:
                yield f"ConfigMap/{volume['configMap']['name']}"


def unmounted_volumes(objects: Sequence[Obj]) -> list[str]:
    """Return volumes that no container mounts, and mounts without a volume."""
    found = []
    for obj in of_kind(objects, *WORKLOADS):
        spec = pod(obj)["spec"]
        volumes = {volume["name"] for volume in spec.get("volumes", [])}
        containers = [*spec["containers"], *spec.get("initContainers", [])]
        mounted = {mount["name"] for container in containers for mount in container.get("volumeMounts", [])}
        found += [f"{shown(obj)} {name}" for name in sorted(volumes ^ mounted)]
    return found


def misplaced(objects: Sequence[Obj], namespace: str) -> list[str]:
    """Return objects with another namespace than theirs: cluster-scoped ones have none."""
    return [
        shown(obj)
        for obj in objects
        if obj["metadata"].get("namespace") != (None if obj["kind"] in CLUSTER_SCOPED else namespace)
    ]


@dataclass(frozen=True)
class Node:
    """A made-up node; taints are (key, value, effect)."""

    name: str
    labels: dict[str, str] = field(default_factory=dict)
    taints: tuple[tuple[str, str, str], ...] = ()


def lands_on(obj: Obj, node: Node) -> bool:
    """Return whether a workload's pods may run on a node, as the scheduler decides it."""
    spec = pod(obj)["spec"]
    required = spec.get("affinity", {}).get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution")
    return (
        selects(spec.get("nodeSelector", {}), node.labels)
        and (required is None or any(_term_holds(term, node) for term in required["nodeSelectorTerms"]))
        and all(tolerates(spec.get("tolerations", []), taint) for taint in node.taints)
    )


def tolerates(tolerations: Sequence[Obj], taint: tuple[str, str, str]) -> bool:
    """Return whether one of the tolerations is for a taint, for good."""
    key, value, effect = taint
    return any(
        "tolerationSeconds" not in item
        and item.get("key", key) == key
        and item.get("effect", effect) == effect
        and (item.get("operator", "Equal") == "Exists" or item.get("value", "") == value)
        for item in tolerations
    )


def _term_holds(term: Obj, node: Node) -> bool:
    """A term without requirements holds nowhere. Source: k8s.io/component-helpers, nodeaffinity."""
    requirements = [(item, node.labels) for item in term.get("matchExpressions", [])]
    requirements += [(item, {"metadata.name": node.name}) for item in term.get("matchFields", [])]
    return bool(requirements) and all(_requirement_holds(item, values) for item, values in requirements)


def _requirement_holds(item: Obj, values: dict[str, str]) -> bool:
    operator: str = item["operator"]
    value = values.get(item["key"])
    allowed: list[str] = item.get("values", [])
    if operator == "Exists":
        return value is not None
    assert operator in {"In", "NotIn"}
    return (value in allowed) == (operator == "In")
