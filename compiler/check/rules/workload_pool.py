"""A workload names a pool that is not there, or none where there are several.

What it does: looks up the pool of every declared workload.

Why it matters: gpuc counts slices and VRAM by pool, and the generated page tells who holds which; a workload on no pool
would be counted nowhere.

How to mend it: name one of the overlay's pools.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.rule import Finding, Rule, each_environment
from compiler.model.describe import suggest
from compiler.model.environment import Environment


def _check(environment: Environment) -> Iterator[Finding]:
    pools = [pool.name for pool in environment.overlay.node_pools]
    for index, workload in enumerate(environment.overlay.workloads):
        here = ("workloads", index)
        if workload.pool is None and len(pools) > 1:
            yield Finding(
                f"the workload {workload.name} does not say on which of the {len(pools)} pools it runs",
                environment.overlay_place((*here, "name")),
                f"add `pool`, one of: {', '.join(pools)}",
            )
        elif workload.pool is not None and workload.pool not in pools:
            meant = suggest(workload.pool, pools)
            yield Finding(
                f"the workload {workload.name} runs on the pool {workload.pool}, which this overlay does not have",
                environment.overlay_place((*here, "pool")),
                f"did you mean `{meant}`?" if meant else f"there are: {', '.join(pools)}",
            )


RULE = Rule("GPU110", "workload-pool", each_environment(_check))
