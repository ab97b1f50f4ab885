"""The DCGM exporter runs on every GPU node."""

from __future__ import annotations

from compiler.components.dcgm_exporter import NAME
from compiler.doctor import snapshot as kinds
from compiler.doctor.case import Case, Finding, Link, Verdict
from compiler.doctor.data import name
from compiler.doctor.links.pods import trouble
from compiler.objects import Obj


class _Exporter(Link):
    id = "dcgm-exporter"
    title = "DCGM exporter"
    needs = (kinds.DAEMON_SET, kinds.POD)
    after = ("image", "namespace", "runtime-class", "label")

    def applies(self, case: Case) -> bool:
        """Whether the stack has the exporter."""
        return case.expected.environment.stack.has_dcgm_exporter

    def check(self, case: Case) -> Verdict:
        """Look for its DaemonSets, and for a ready pod on each node."""
        details, findings = [], []
        for pool in case.pools:
            workload = f"{NAME}-{pool.name}"
            if case.daemon_set(workload) is None:
                what = f"there is no DaemonSet {workload} in {case.namespace}"
                findings.append(Finding(what, "the stack was not applied, or somebody deleted it", (case.reapply(),)))
                continue
            for node in case.nodes(pool):
                found = _on(case, workload, node)
                if found:
                    findings.append(found)
                else:
                    details.append(f"running on {name(node)}")
        return Verdict(tuple(details), tuple(findings))


def _on(case: Case, workload: str, node: Obj) -> Finding | None:
    pods = case.pods(workload, name(node))
    if not pods:
        said = case.warnings("DaemonSet", workload, case.namespace)
        cause = said[-1] if said else "its node selector or tolerations do not fit the node"
        return Finding(f"{workload} has no pod on {name(node)}", cause, (case.here("describe", "daemonset", workload),))
    return next((found for pod in pods if (found := trouble(case, pod))), None)


LINK = _Exporter()
