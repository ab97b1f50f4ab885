"""The nodes of every pool are in the cluster, and Ready."""

from __future__ import annotations

from compiler.doctor import snapshot as kinds
from compiler.doctor.case import Case, Finding, Link, Verdict
from compiler.doctor.data import condition, name, one_line, text
from compiler.model.overlay import NodePool
from compiler.model.stack import TalosPlatform
from compiler.objects import Obj


class _Node(Link):
    id = "node"
    title = "nodes"
    needs = (kinds.NODE,)

    def check(self, case: Case) -> Verdict:
        """Look for each named node, or for any that a pool's selector finds."""
        details, findings = [], []
        for pool in case.pools:
            live = {name(node): node for node in case.nodes(pool)}
            findings += [_missing(case, pool, node.name) for node in pool.nodes if node.name not in live]
            if not pool.nodes and not live:
                findings.append(_nobody(case, pool))
            for found, node in live.items():
                ready = condition(node, "Ready")
                if text(ready, "status") == "True":
                    details.append(f"{found} is Ready")
                else:
                    findings.append(_not_ready(case, pool, node, one_line(text(ready, "message"))))
        return Verdict(tuple(details), tuple(findings))


def _on_talos(case: Case, pool: NodePool) -> bool:
    return isinstance(pool.platform or case.expected.environment.stack.platform, TalosPlatform)


def _missing(case: Case, pool: NodePool, wanted: str) -> Finding:
    address = case.address(pool, wanted)
    look = f"talosctl health --nodes {address}" if _on_talos(case, pool) else f"ping -c 3 {address}"
    return Finding(
        f"there is no node {wanted}",
        "the machine is off or never joined, its name differs from the overlay's, or this is another cluster",
        (case.kubectl("get", "nodes", "-o", "wide"), look),
    )


def _nobody(case: Case, pool: NodePool) -> Finding:
    wanted = ",".join(f"{key}={value}" for key, value in pool.node_selector.items())
    return Finding(
        f"no node has the labels of pool {pool.name}: {wanted}",
        "nobody labelled the nodes, or they are off",
        (case.kubectl("get", "nodes", "--show-labels"), case.kubectl("label", "node", "NODE", *wanted.split(","))),
    )


def _not_ready(case: Case, pool: NodePool, node: Obj, why: str) -> Finding:
    found = name(node)
    logs = f"talosctl logs kubelet --nodes {case.address(pool, found)}"
    return Finding(
        f"{found} is not Ready" + (f": {why}" if why else ""),
        "its kubelet does not report: the machine is off, booting, or cut off from the API server",
        (case.kubectl("describe", "node", found), *((logs,) if _on_talos(case, pool) else ())),
    )


LINK = _Node()
