"""A toleration names a taint of the node pools, and does not tolerate it.

What it does: compares the tolerations that people add to a component with the taints of the pools: one that has a
taint's key and covers no taint of that key is reported.

Why it matters: a toleration with a slip in value or effect, or with tolerationSeconds, tolerates nothing for long, and
whoever reads it believes otherwise. gpuc adds tolerations for the pools' taints itself, so the stack still runs.

How to mend it: delete the toleration, or write the taint as it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.components import components
from compiler.check.rule import Finding, Rule, each_environment
from compiler.diagnostics import Related, Severity
from compiler.model.environment import Environment
from compiler.model.kube import Taint


def _check(environment: Environment) -> Iterator[Finding]:
    taints = [
        (("nodePools", at, "taints", number), taint)
        for at, pool in enumerate(environment.overlay.node_pools)
        for number, taint in enumerate(pool.taints)
    ]
    for component in components(environment.stack):
        for index, toleration in enumerate(component.settings.tolerations):
            same = [(loc, taint) for loc, taint in taints if taint.key == toleration.key]
            if same and not any(toleration.covers(taint) for _, taint in same):
                loc, taint = same[0]
                yield Finding(
                    f"the toleration of {component.name} for {taint.key} does not cover the taint {shown(taint)}",
                    environment.stack_place((*component.loc, "tolerations", index)),
                    "delete it: gpuc tolerates the taints of the pools by itself",
                    (Related("the taint", environment.overlay_place(loc)),),
                )


def shown(taint: Taint) -> str:
    """Return a taint as kubectl writes it."""
    return f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}"


RULE = Rule("GPU115", "toleration-matches", each_environment(_check), Severity.WARNING)
