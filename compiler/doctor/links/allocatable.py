"""Every node offers as many GPUs as were compiled; the key with the value 0 is no success."""

from __future__ import annotations

from compiler.components.device_plugin import NAME
from compiler.doctor import snapshot as kinds
from compiler.doctor.case import Case, Finding, Link, Verdict
from compiler.doctor.data import mapping, name, text
from compiler.model.advertised import advertised
from compiler.objects import Obj


class _Allocatable(Link):
    id = "allocatable"
    title = "allocatable GPUs"
    needs = (kinds.NODE,)
    after = ("label", "plugin", "one-plugin", "plugin-config", "plugin-pod", "mps-daemon")

    def check(self, case: Case) -> Verdict:
        """Compare what each node offers with what was compiled."""
        details, findings = [], []
        for pool in case.pools:
            wanted = advertised(pool)
            if wanted is None:
                details.append(f"pool {pool.name}: gpuc is not told how many MIG instances there are")
                continue
            for node in case.nodes(pool):
                for resource, count in wanted.items():
                    there = text(mapping(node, "status", "allocatable"), resource)
                    if there == str(count):
                        details.append(f"{name(node)}: {resource} {count}")
                    else:
                        findings.append(_finding(case, f"{NAME}-{pool.name}", node, resource, (there, count)))
        return Verdict(tuple(details), tuple(findings))


def _finding(case: Case, workload: str, node: Obj, resource: str, counts: tuple[str, int]) -> Finding:
    there, count = counts
    capacity = text(mapping(node, "status", "capacity"), resource)
    pods = case.pods(workload, name(node))
    log = case.here("logs", name(pods[0]) if pods else f"daemonset/{workload}", "--tail=50")
    restart = case.here("rollout", "restart", f"daemonset/{workload}")
    what = f"{name(node)} offers {there or 'no'} {resource}, not {count}"
    if not there:
        return Finding(what, "the plugin has not registered at the kubelet", (log, restart))
    if there == "0" and capacity not in ("", "0"):
        cause = "the plugin reports every device as unhealthy: an XID error, or the card fell off the bus"
        return Finding(what, cause, (log, case.kubectl("describe", "node", name(node))))
    if there == "0":
        cause = "the plugin was there and is gone, or found no device"
        return Finding(what, cause, (log, restart))
    cause = (
        "a card is missing or unhealthy, or the plugin started with another configuration"
        if there.isdigit() and int(there[:9]) < count
        else "the plugin started with another configuration, or there are more cards than `gpu.count` says"
    )
    return Finding(what, cause, (log, restart))


LINK = _Allocatable()
