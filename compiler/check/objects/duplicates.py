"""Pairs of pods of the same program that would run on the same nodes."""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.nodes import HOSTNAME, Requirement, Term, demands, pools_for
from compiler.check.objects.programs import Program, StackPod, running
from compiler.check.objects.taints import untolerated
from compiler.check.scene import Scene


def doubled(scene: Scene, program: Program) -> Iterator[tuple[StackPod, StackPod, str]]:
    """Yield pairs of workloads that run the same program on the same nodes, each with words for those nodes."""
    found = list(running(scene, program))
    if len(found) < 2:  # noqa: PLR2004 -- a pair
        return
    if not scene.pools:
        yield from ((found[0], other, "the same nodes") for other in found[1:] if not apart(found[0], other))
        return
    told: set[tuple[int, int]] = set()
    first: dict[str, StackPod] = {}
    for item in found:
        for pool in pools_for(scene, item.pod):
            if untolerated(item.pod, pool.taints):
                continue
            other = first.setdefault(pool.pool, item)
            pair = id(other), id(item)
            if other is not item and pair not in told and not apart(other, item):
                told.add(pair)
                yield other, item, f"pool {pool.pool}"


def apart(one: StackPod, two: StackPod) -> bool:
    """Return whether no node can meet the demands of both pods."""
    return all(_exclusive(first, second) for first in demands(one.pod) for second in demands(two.pod))


def _exclusive(one: Term, two: Term) -> bool:
    known: dict[str, list[Requirement]] = {}
    for item in one:
        known.setdefault(_key(item), []).append(item)
    return any(_contradict(item, other) for other in two for item in known.get(_key(other), []))


def _key(item: Requirement) -> str:
    return HOSTNAME if item.is_field else item.label


def _contradict(one: Requirement, two: Requirement) -> bool:
    match one.operator, two.operator:
        case "In", "In":
            return not set(one.values) & set(two.values)
        case "In", "NotIn":
            return set(one.values) <= set(two.values)
        case "NotIn", "In":
            return set(two.values) <= set(one.values)
        case ("In" | "Exists", "DoesNotExist") | ("DoesNotExist", "In" | "Exists"):
            return True
        case _:
            return False
