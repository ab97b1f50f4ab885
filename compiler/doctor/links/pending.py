"""No pod that asks for a GPU waits, or was turned away."""

from __future__ import annotations

from typing import NamedTuple

from compiler.doctor import snapshot as kinds
from compiler.doctor.case import Case, Finding, Link, Verdict
from compiler.doctor.data import condition, dig, items, labels, mapping, name, namespace, number, one_line, text
from compiler.doctor.expected import tolerates
from compiler.model.advertised import advertised
from compiler.model.overlay import NodePool
from compiler.objects import Obj

_VENDOR = "nvidia.com/"
_MOST = 10
"""Pods that are explained one by one."""


class _Pending(Link):
    id = "pending"
    title = "pods that ask for a GPU"
    needs = (kinds.POD, kinds.NODE)
    after = ("allocatable",)

    def check(self, case: Case) -> Verdict:
        """Explain pods that are not scheduled, that the kubelet refused, and that a quota kept from being made."""
        asking = [pod for pod in case.seen.all(kinds.POD) if asks_for(pod)]
        waiting = [pod for pod in asking if text(pod, "status", "phase") == "Pending" and not _placed(pod)]
        refused = [pod for pod in asking if text(pod, "status", "reason") == "UnexpectedAdmissionError"]
        findings = [_waits(case, pod) for pod in waiting[:_MOST]]
        findings += [_refused(case, pod) for pod in refused[:_MOST]]
        findings += _over_quota(case)
        running = sum(1 for pod in asking if text(pod, "status", "phase") == "Running")
        return Verdict((f"{running} running, none waits",), tuple(findings))


def asks_for(pod: Obj) -> dict[str, int]:
    """Return the NVIDIA resources that a pod asks for."""
    found: dict[str, int] = {}
    for container in items(pod, "spec", "containers"):
        limits = {**mapping(container, "resources", "requests"), **mapping(container, "resources", "limits")}
        for resource in limits:
            if resource.startswith(_VENDOR):
                found[resource] = found.get(resource, 0) + number(limits, resource)
    return found


def _placed(pod: Obj) -> bool:
    return bool(text(pod, "spec", "nodeName"))


def _title(pod: Obj) -> str:
    return f"pod {namespace(pod)}/{name(pod)}"


def _waits(case: Case, pod: Obj) -> Finding:
    said = one_line(text(condition(pod, "PodScheduled"), "message"))
    what = f"{_title(pod)} is Pending" + (f": {said}" if said else "")
    describe = case.kubectl("-n", namespace(pod), "describe", "pod", name(pod))
    asked = asks_for(pod)
    offered = {resource for pool in case.pools for resource in advertised(pool) or {}}
    known = all(advertised(pool) is not None for pool in case.pools)
    if known and not set(asked) & offered:
        cause = f"it asks for {', '.join(sorted(asked))}; the nodes offer {', '.join(sorted(offered))}"
        return Finding(what, cause, (describe,))
    against = [_lacks(case, pool, pod) or _cannot(case, pool, pod, asked) for pool in case.pools]
    if all(against):
        cause = "; ".join(one.why for one in against if one)
        commands = dict.fromkeys(command for one in against if one for command in one.commands)
        return Finding(what, cause, (describe, *commands))
    return Finding(what, _full(case), _holders(case))


class _Against(NamedTuple):
    """What keeps a pod off a pool for good, and what mends it."""

    why: str
    commands: tuple[str, ...] = ()


def _lacks(case: Case, pool: NodePool, pod: Obj) -> _Against | None:
    """Return what a pod lacks to run on a pool, which the pool's component brings."""
    tolerations = items(pod, "spec", "tolerations")
    missing = [
        f"{taint.key}={taint.value}:{taint.effect}".replace("=:", ":")
        for taint in pool.taints
        if taint.effect != "PreferNoSchedule" and not tolerates(tolerations, taint)
    ]
    nodes = case.nodes(pool)
    if missing:
        why = f"it does not tolerate {', '.join(missing)} of pool {pool.name}"
    elif nodes and not _fitting(nodes, pod):
        selector = mapping(pod, "spec", "nodeSelector")
        wanted = ", ".join(f"{key}={one_line(str(value))}" for key, value in selector.items())
        why = f"its nodeSelector {wanted} fits no node of pool {pool.name}"
    else:
        return None
    component = f"out/components/gpu-workload/{case.expected.environment.name}/{pool.name}"
    show = f"cat {component}/README.md  # one line in the application's kustomization.yaml"
    return _Against(f"{why}; the component {component} brings what it lacks", (show,))


def _fitting(nodes: list[Obj], pod: Obj) -> list[Obj]:
    selector = mapping(pod, "spec", "nodeSelector")
    return [node for node in nodes if all(labels(node).get(key) == value for key, value in selector.items())]


def _cannot(case: Case, pool: NodePool, pod: Obj, asked: dict[str, int]) -> _Against | None:
    """Return why no slice that becomes free would help."""
    fitting = _fitting(case.nodes(pool), pod)
    if fitting and all(dig(node, "spec", "unschedulable") is True for node in fitting):
        uncordon = tuple(case.kubectl("uncordon", name(node)) for node in fitting)
        return _Against(f"the nodes of pool {pool.name} are cordoned", uncordon)
    count = advertised(pool) or {}
    more = [f"{asked[key]} {key} of {count[key]}" for key in asked if key in count and asked[key] > count[key]]
    return _Against(f"it asks for {', '.join(more)} on a node of pool {pool.name}") if more else None


def _full(case: Case) -> str:
    held: list[str] = []
    nodes = {name(node) for pool in case.pools for node in case.nodes(pool)}
    for pod in case.seen.all(kinds.POD):
        if text(pod, "spec", "nodeName") in nodes and text(pod, "status", "phase") in ("Running", "Pending"):
            held += [f"{namespace(pod)}/{name(pod)} ({count})" for count in [sum(asks_for(pod).values())] if count]
    if not held:
        return "no slice is held by a pod, so it is something else than GPUs: the scheduler says what"
    return f"all slices are taken, by {', '.join(sorted(held)[:_MOST])}: end one of them, or raise `replicas`"


def _holders(case: Case) -> tuple[str, ...]:
    return tuple(
        case.kubectl("get", "pods", "-A", "-o", "wide", f"--field-selector=spec.nodeName={name(node)}")
        for pool in case.pools
        for node in case.nodes(pool)
    )


def _refused(case: Case, pod: Obj) -> Finding:
    said = one_line(text(pod, "status", "message"))
    return Finding(
        f"{_title(pod)} was turned away by its node: {said}",
        "it asks for more than one slice where that is refused, or the devices went away while it started",
        (case.kubectl("-n", namespace(pod), "delete", "pod", name(pod)),),
    )


def _over_quota(case: Case) -> list[Finding]:
    found = {}
    for event in case.seen.all(kinds.EVENT):
        said = one_line(text(event, "message"))
        if text(event, "reason") == "FailedCreate" and "exceeded quota" in said and _VENDOR in said:
            kind, who = text(event, "involvedObject", "kind"), text(event, "involvedObject", "name")
            where = text(event, "involvedObject", "namespace")
            what = f"{kind} {where}/{who} may not make a pod: {said}"
            cause = "the namespace's quota of GPUs is used up"
            found[where, who] = Finding(what, cause, (case.kubectl("-n", where, "describe", "resourcequota"),))
    return list(found.values())[:_MOST]


LINK = _Pending()
