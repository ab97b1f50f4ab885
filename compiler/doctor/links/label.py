"""The nodes carry the labels that GPU pods select."""

from __future__ import annotations

from compiler.components.placement import pool_selector
from compiler.doctor import snapshot as kinds
from compiler.doctor.case import Case, Finding, Link, Verdict
from compiler.doctor.data import labels, name, text
from compiler.doctor.links.nfd import MASTER


class _Label(Link):
    id = "label"
    title = "node labels"
    needs = (kinds.NODE,)
    after = ("node", "taints", "nfd", "pci-device", "rule")

    def check(self, case: Case) -> Verdict:
        """Look for nvidia.com/gpu.present and, with several pools, for the pool's label."""
        details, findings = [], []
        ours = case.expected.environment.stack.node_feature_discovery.managed == "gpuc"
        for pool in case.pools:
            wanted = pool_selector(pool, case.pools)
            for node in case.nodes(pool):
                there = labels(node)
                missing = [f"{key}={value}" for key, value in wanted.items() if text(there, key) != value]
                if not missing:
                    details.append(f"{name(node)} has {', '.join(f'{key}={value}' for key, value in wanted.items())}")
                    continue
                commands: tuple[str, ...]
                what = f"{name(node)} lacks the label {', '.join(missing)}"
                if ours:
                    cause = "card and rule are there, so NFD's master has not written it: its log says why"
                    commands = (
                        case.here("logs", f"deployment/{MASTER}", "--tail=50"),
                        case.here("rollout", "restart", f"deployment/{MASTER}"),
                    )
                else:
                    cause = "the cluster's own NFD does not make it"
                    commands = (case.kubectl("get", "node", name(node), "--show-labels"),)
                findings.append(Finding(what, cause, commands))
        return Verdict(tuple(details), tuple(findings))


LINK = _Label()
