"""A workload needs more VRAM than it can get.

What it does: compares the VRAM that each workload declares with the most that its slices can give: the card's memory;
with MPS the card's memory divided by `replicas`, since MPS limits every client to its part; with MIG the largest
instance.

Why it fails at run time: CUDA runs out of memory on every start. Source for MPS: k8s-device-plugin,
cmd/mps-control-daemon/mps/daemon.go, which sets the pinned device memory limit.

How to mend it: fewer MPS replicas, a larger MIG profile, a larger card, or time-slicing, which does not split memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from compiler.check.capacity import PoolCapacity, pools, shown
from compiler.check.rule import Finding, Rule, each_environment
from compiler.diagnostics import Place, Related
from compiler.model.environment import Environment
from compiler.model.overlay import Mps


def _check(environment: Environment) -> Iterator[Finding]:
    for pool in pools(environment):
        for asking in pool.workloads:
            most = pool.most_for_one(asking.workload.slices)
            if most is not None and asking.vram > most:
                limit = _limit(pool)
                yield Finding(
                    f"{asking.name} needs {asking.workload.vram} of VRAM and gets at most {shown(most)}, {limit.why}",
                    pool.workload_place(asking, "vram"),
                    limit.cure,
                    (Related("what there is", limit.place),),
                )


class _Limit(NamedTuple):
    why: str
    cure: str
    place: Place


def _limit(pool: PoolCapacity) -> _Limit:
    """Return what limits the VRAM of a pod on a pool."""
    sharing = pool.pool.sharing
    if isinstance(sharing, Mps):
        return _Limit(
            f"which is a card's {shown(pool.device_memory() or 0)} divided by {pool.replicas} MPS clients",
            "use fewer replicas, or time-slicing, which does not split VRAM",
            pool.place("sharing", "replicas"),
        )
    if pool.pool.mig.strategy != "none" and pool.pool.mig.profiles:
        return _Limit("the largest MIG instance", "use a larger profile", pool.place("mig", "profiles"))
    return _Limit("all that its cards have", "use a pool with larger cards", pool.place("gpu", "memory"))


RULE = Rule("GPU404", "vram-of-one", each_environment(_check))
