"""The MPS control daemon runs where a pool shares by MPS: without it the plugin waits and advertises nothing."""

from __future__ import annotations

from compiler.components.mps_control_daemon import NAME
from compiler.doctor import snapshot as kinds
from compiler.doctor.case import Case, Finding, Link, Verdict
from compiler.doctor.data import labels, name, text
from compiler.doctor.links.pods import running_on
from compiler.model.overlay import Mps, NodePool

CAPABLE = "nvidia.com/mps.capable"


class _MpsDaemon(Link):
    id = "mps-daemon"
    title = "MPS control daemon"
    needs = (kinds.DAEMON_SET, kinds.POD, kinds.NODE)
    after = ("image", "namespace", "runtime-class", "label")

    def applies(self, case: Case) -> bool:
        """Whether a pool shares by MPS."""
        return any(isinstance(pool.sharing, Mps) for pool in case.pools)

    def check(self, case: Case) -> Verdict:
        """Look for GFD's label that the daemon selects, and for a ready pod on each node."""
        details, findings = [], []
        for pool in case.pools:
            for node in case.nodes(pool) if isinstance(pool.sharing, Mps) else ():
                capable = text(labels(node), CAPABLE) == "true"
                found = (
                    running_on(case, f"{NAME}-{pool.name}", name(node))
                    if capable
                    else _incapable(case, pool, name(node))
                )
                if found:
                    findings.append(found)
                else:
                    details.append(f"running on {name(node)}")
        return Verdict(tuple(details), tuple(findings))


def _incapable(case: Case, pool: NodePool, node: str) -> Finding:
    return Finding(
        f"{node} lacks the label {CAPABLE}=true",
        "GFD does not run there, or the card is too old for MPS; the daemon goes to no other node",
        (case.here("logs", f"daemonset/gpu-feature-discovery-{pool.name}", "--tail=50"),),
    )


LINK = _MpsDaemon()
