"""What a pod demands of a node, and which node pools can meet it.

Source: k8s.io/component-helpers/scheduling/corev1/nodeaffinity: `nodeSelector` and the required node affinity must both
hold; of the affinity's terms one must.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from compiler.check.objects.plain import items, mapping, strings, text
from compiler.check.scene import NodeFacts, PodTemplate, Route, Scene

HOSTNAME = "kubernetes.io/hostname"
_NAME = "metadata.name"
_AFFINITY: Route = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")


@dataclass(frozen=True)
class Requirement:
    """One demand on a node: `route` leads to its key within the pod's spec."""

    route: Route
    label: str
    operator: str
    values: tuple[str, ...]
    is_field: bool = False

    @property
    def needs_label(self) -> bool:
        """True when a node without the label does not meet the demand."""
        return not self.is_field and self.operator in {"In", "Exists", "Gt", "Lt"}


Term = tuple[Requirement, ...]


def selector(pod: PodTemplate) -> Term:
    """Return what `nodeSelector` demands."""
    return tuple(
        Requirement(("nodeSelector", label), label, "In", (value,))
        for label, value in mapping(pod.spec.get("nodeSelector")).items()
        if isinstance(value, str)
    )


def terms(pod: PodTemplate) -> tuple[Term, ...]:
    """Return the terms of the required node affinity; empty where there is none."""
    return tuple(tuple(_requirements(index, term)) for index, term in items(pod.get(*_AFFINITY)))


def _requirements(index: int, term: dict[str, object]) -> Iterator[Requirement]:
    for kind in ("matchExpressions", "matchFields"):
        for number, item in items(term.get(kind)):
            yield Requirement(
                (*_AFFINITY, index, kind, number, "key"),
                text(item.get("key")),
                text(item.get("operator")),
                tuple(strings(item.get("values"))),
                kind == "matchFields",
            )


def demands(pod: PodTemplate) -> tuple[Term, ...]:
    """Return the ways to meet everything that a pod demands of a node; one empty way where it demands nothing."""
    always = selector(pod)
    return tuple((*always, *term) for term in terms(pod)) or (always,)


@dataclass(frozen=True)
class _Index:
    by_name: dict[str, NodeFacts]
    by_label: dict[tuple[str, str], list[NodeFacts]]
    declared: frozenset[str]


def _index(scene: Scene) -> _Index:
    by_name: dict[str, NodeFacts] = {}
    by_label: dict[tuple[str, str], list[NodeFacts]] = {}
    for pool in scene.pools or ():
        by_name |= dict.fromkeys(pool.names, pool)
        for pair in pool.labels.items():
            by_label.setdefault(pair, []).append(pool)
    return _Index(by_name, by_label, frozenset(label for label, _ in by_label))


def pools_for(scene: Scene, pod: PodTemplate) -> list[NodeFacts]:
    """Return the node pools that a pod may run on, taints aside.

    A label that is declared on some pool is only on the pools that declare it; any other label may be on every pool.
    """
    index = scene.once(_index)
    found: dict[str, NodeFacts] = {}
    for way in demands(pod):
        found |= {pool.pool: pool for pool in _candidates(scene, index, way) if _meets(index, pool, way)}
    return list(found.values())


def _candidates(scene: Scene, index: _Index, way: Term) -> Iterable[NodeFacts]:
    """Return the pools that one demand leaves over: the narrowest, so that all pods together stay linear in pools."""
    for item in way:
        if item.operator == "In" and (item.is_field or (item.label == HOSTNAME and HOSTNAME not in index.declared)):
            named = {pool.pool: pool for name in item.values if (pool := index.by_name.get(name))}
            strangers = any(name not in index.by_name for name in item.values)
            return [*named.values(), *(scene.once(_nameless) if strangers else ())]
    narrowed = [
        [pool for value in item.values for pool in index.by_label.get((item.label, value), [])]
        for item in way
        if item.operator == "In" and item.label in index.declared
    ]
    return min(narrowed, key=len, default=list(scene.pools or ()))


def _nameless(scene: Scene) -> list[NodeFacts]:
    return [pool for pool in scene.pools or () if not pool.names]


def _meets(index: _Index, pool: NodeFacts, way: Term) -> bool:
    return all(_may_hold(index, pool, item) for item in way)


def _may_hold(index: _Index, pool: NodeFacts, item: Requirement) -> bool:
    if item.is_field or (item.label == HOSTNAME and HOSTNAME not in index.declared):
        if item.label not in (_NAME, HOSTNAME):
            return True
        if not pool.names:  # its nodes are any but those that other pools name
            return item.operator != "In" or any(name not in index.by_name for name in item.values)
        if item.operator == "In":
            return bool(set(item.values) & set(pool.names))
        return item.operator != "NotIn" or not set(pool.names) <= set(item.values)
    return item.label not in index.declared or holds(item, pool.labels.get(item.label))


def holds(item: Requirement, value: str | None) -> bool:
    """Return whether a label's value, None where a node does not have it, meets a demand; Gt and Lt count as met."""
    match item.operator:
        case "In":
            return value in item.values
        case "NotIn":
            return value not in item.values
        case "Exists" | "DoesNotExist":
            return (value is not None) == (item.operator == "Exists")
        case _:
            return True
