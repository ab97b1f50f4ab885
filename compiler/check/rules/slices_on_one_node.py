"""A workload asks for more slices than any one node has.

What it does: compares each workload's slices with what one node of its pool offers.

Why it fails at run time: a pod runs on one node, so this one stays Pending for ever, however many nodes there are.

How to mend it: ask for less, or put more cards or replicas into each node.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.capacity import pools
from compiler.check.rule import Finding, Rule, each_environment
from compiler.diagnostics import Related
from compiler.model.environment import Environment


def _check(environment: Environment) -> Iterator[Finding]:
    for pool in pools(environment):
        for asking in pool.workloads:
            if pool.offered is not None and asking.workload.slices > pool.offered:
                yield Finding(
                    f"{asking.name} asks for {asking.workload.slices} slices, and a node of pool {pool.pool.name} has "
                    f"{pool.offered}: the pod stays Pending for ever",
                    pool.workload_place(asking, "slices"),
                    f"ask for at most {pool.offered}",
                    (Related("what a node offers", pool.place("gpu")),),
                )


RULE = Rule("GPU402", "slices-on-one-node", each_environment(_check))
