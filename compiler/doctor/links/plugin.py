"""The device plugin's DaemonSet is there, and wants a pod on every node of its pool."""

from __future__ import annotations

from compiler.components.device_plugin import NAME
from compiler.doctor import snapshot as kinds
from compiler.doctor.case import Case, Finding, Link, Verdict
from compiler.doctor.data import dig, name, number, text
from compiler.model.overlay import NodePool
from compiler.objects import Obj


class _Plugin(Link):
    id = "plugin"
    title = "device plugin"
    needs = (kinds.DAEMON_SET,)
    after = ("node", "taints", "namespace", "label")

    def check(self, case: Case) -> Verdict:
        """Compare the pods that each DaemonSet wants with the pool's nodes: 0 is no success."""
        details, findings = [], []
        for pool in case.pools:
            wanted = f"{NAME}-{pool.name}"
            found = case.daemon_set(wanted)
            if found is None:
                what = f"there is no DaemonSet {wanted} in {case.namespace}"
                cause = "the stack was not applied, or somebody deleted it"
                findings.append(Finding(what, cause, (case.reapply(),)))
                continue
            desired, nodes = number(found, "status", "desiredNumberScheduled"), case.nodes(pool)
            if desired < len(nodes):
                findings.append(_too_few(case, pool, found, desired, [name(node) for node in nodes]))
            else:
                details.append(f"{wanted} wants {desired}")
        return Verdict(tuple(details), tuple(findings))


def _too_few(case: Case, pool: NodePool, found: Obj, desired: int, nodes: list[str]) -> Finding:
    compiled = case.expected.find("DaemonSet", name(found)) or {}
    route = ("spec", "template", "spec")
    differs = [
        key
        for key in ("nodeSelector", "affinity", "tolerations")
        if dig(found, *route, key) != dig(compiled, *route, key)
    ]
    said = case.warnings("DaemonSet", name(found), case.namespace)
    cause = (
        f"its {', '.join(differs)} is not what was compiled: edited by hand, or an older commit is applied"
        if differs
        else said[-1]
        if said
        else "the DaemonSet controller has not looked at it yet"
        if not text(found, "status", "observedGeneration")
        else f"its node selector or tolerations do not fit {', '.join(nodes)}"
    )
    paths = "{.spec.template.spec.nodeSelector} {.spec.template.spec.affinity} {.spec.template.spec.tolerations}"
    return Finding(
        f"{name(found)} wants {desired} pods for {len(nodes)} nodes of pool {pool.name}",
        cause,
        (case.here("get", "daemonset", name(found), "-o", f"jsonpath={paths}"), case.reapply()),
    )


LINK = _Plugin()
