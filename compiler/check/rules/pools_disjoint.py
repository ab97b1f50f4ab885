"""Two node pools could claim the same node.

What it does: for every two pools chosen by `nodeSelector`, asks for a label that both name with different values.

Why it fails at run time: a node that matches both gets two device plugins with different configurations; the one that
registers last with the kubelet wins, and that changes with every restart.

How to mend it: give the nodes of the two pools different values of one label and name it in both selectors. Pools of
named nodes are always apart, also from pools chosen by label.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from compiler.check.rule import Finding, Rule, each_environment
from compiler.diagnostics import Related
from compiler.model.environment import Environment


def _check(environment: Environment) -> Iterator[Finding]:
    chosen = [(index, pool) for index, pool in enumerate(environment.overlay.node_pools) if pool.node_selector]
    for (one, first), (two, second) in combinations(chosen, 2):
        shared = first.node_selector.keys() & second.node_selector.keys()
        if all(first.node_selector[key] == second.node_selector[key] for key in shared):
            yield Finding(
                f"a node could match the selectors of both {first.name} and {second.name}: two plugins on one node",
                environment.overlay_place(("nodePools", two, "nodeSelector"), key=True),
                "name a label in both selectors, with different values",
                (
                    Related(
                        "the other selector", environment.overlay_place(("nodePools", one, "nodeSelector"), key=True)
                    ),
                ),
            )


RULE = Rule("GPU103", "pools-disjoint", each_environment(_check))
