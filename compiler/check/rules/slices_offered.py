"""More slices are asked for than a node pool offers.

What it does: adds up the slices of a pool's workloads and compares the sum with what its nodes offer: cards, times MIG
instances, times replicas, times nodes. Pools whose nodes are chosen by label are left out: nobody knows how many.

Why it matters: one of the pods stays Pending until another ends. That is fine for workloads that take turns.

How to mend it: more replicas, fewer workloads, or accept it under `ignore` where they take turns.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.capacity import pools
from compiler.check.rule import Finding, Rule, each_environment
from compiler.diagnostics import Related, Severity
from compiler.model.environment import Environment


def _check(environment: Environment) -> Iterator[Finding]:
    for pool in pools(environment):
        if pool.offered is None or pool.nodes is None:
            continue
        there, asked = pool.offered * pool.nodes, 0
        for asking in pool.workloads:
            asked += asking.workload.slices
            if asked > there >= asked - asking.workload.slices:
                total = sum(item.workload.slices for item in pool.workloads)
                yield Finding(
                    f"the workloads of pool {pool.pool.name} ask for {total} slices and it offers {there}: from "
                    f"{asking.name} on, whoever comes last stays Pending",
                    pool.workload_place(asking, "name"),
                    "raise `replicas` (VRAM does not grow with it), or ignore this where they take turns",
                    (Related("what the pool offers", pool.place("sharing", "replicas")),),
                )


RULE = Rule("GPU401", "slices-offered", each_environment(_check), Severity.WARNING)
