"""The nodes carry the pool's taints, and no other that the stack's pods do not tolerate."""

from __future__ import annotations

from compiler.components.device_plugin import NAME as PLUGIN
from compiler.doctor import snapshot as kinds
from compiler.doctor.case import Case, Finding, Link, Verdict
from compiler.doctor.data import items, name, text
from compiler.doctor.expected import tolerates
from compiler.model.overlay import NodePool
from compiler.objects import Obj

_HARD = ("NoSchedule", "NoExecute")
_BY_KUBERNETES = "node.kubernetes.io/"
"""Taints of Kubernetes' own for a node's condition; DaemonSet pods tolerate them, and the node link tells of them."""


class _Taints(Link):
    id = "taints"
    title = "taints"
    needs = (kinds.NODE,)
    after = ("node",)

    def check(self, case: Case) -> Verdict:
        """Compare each node's taints with its pool's."""
        details, findings = [], []
        for pool in case.pools:
            wanted = {_shown(taint.key, taint.value, taint.effect) for taint in pool.taints}
            for node in case.nodes(pool):
                live = items(node, "spec", "taints")
                there = {_of(taint) for taint in live}
                missing, extra = sorted(wanted - there), [one for one in live if _in_the_way(case, pool, one)]
                if missing or extra:
                    findings.append(_finding(case, node, missing, extra))
                else:
                    details.append(f"{name(node)} has {', '.join(sorted(wanted)) or 'no taint'}")
        return Verdict(tuple(details), tuple(findings))


def _shown(key: str, value: str, effect: str) -> str:
    return f"{key}={value}:{effect}" if value else f"{key}:{effect}"


def _of(taint: Obj) -> str:
    return _shown(text(taint, "key"), text(taint, "value"), text(taint, "effect"))


def _in_the_way(case: Case, pool: NodePool, taint: Obj) -> bool:
    """Say whether a taint keeps the pool's device plugin off."""
    if text(taint, "effect") not in _HARD or text(taint, "key").startswith(_BY_KUBERNETES):
        return False
    workload = case.expected.find("DaemonSet", f"{PLUGIN}-{pool.name}") or {}
    return not tolerates(items(workload, "spec", "template", "spec", "tolerations"), taint)


def _finding(case: Case, node: Obj, missing: list[str], extra: list[Obj]) -> Finding:
    said, causes, commands = [], [], []
    if missing:
        said.append(f"lacks the taint {', '.join(missing)}")
        causes.append("any pod may land on it: a node registers with its taints, and gets none later by itself")
        commands += [case.kubectl("taint", "node", name(node), one) for one in missing]
    if extra:
        said.append(f"has a taint that the stack does not tolerate: {', '.join(_of(one) for one in extra)}")
        causes.append("NFD's worker and the device plugin stay away; add it to the pool's `taints`, or take it off")
        commands += [
            case.kubectl("taint", "node", name(node), f"{text(one, 'key')}:{text(one, 'effect')}-") for one in extra
        ]
    return Finding(f"{name(node)} {' and '.join(said)}", "; ".join(causes), tuple(commands))


LINK = _Taints()
