"""The DCGM exporter runs on every GPU node."""

from __future__ import annotations

from compiler.components.dcgm_exporter import NAME
from compiler.doctor import snapshot as kinds
from compiler.doctor.case import Case, Link, Verdict
from compiler.doctor.data import name
from compiler.doctor.links.pods import running_on


class _Exporter(Link):
    id = "dcgm-exporter"
    title = "DCGM exporter"
    needs = (kinds.DAEMON_SET, kinds.POD)
    after = ("image", "namespace", "runtime-class", "label")

    def applies(self, case: Case) -> bool:
        """Whether the stack has the exporter."""
        return case.expected.environment.stack.has_dcgm_exporter

    def check(self, case: Case) -> Verdict:
        """Look for a ready pod on each node."""
        details, findings = [], []
        for pool in case.pools:
            for node in case.nodes(pool):
                found = running_on(case, f"{NAME}-{pool.name}", name(node))
                if found:
                    findings.append(found)
                else:
                    details.append(f"running on {name(node)}")
        return Verdict(tuple(details), tuple(findings))


LINK = _Exporter()
