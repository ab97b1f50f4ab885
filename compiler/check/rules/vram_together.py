"""Workloads that share a card do not fit into its VRAM together.

What it does: for a card that is time-sliced, finds the smallest sets of workloads whose declared VRAM is more than the
card has. With several cards it says only what is certain: that no placement is enough.

Why it matters: time-slicing shares VRAM without any limit: whoever allocates last gets out-of-memory errors, which may
be the workload that has run for days. Kubernetes does not know of VRAM and starts them all.

How to mend it: run them at different times, lower what one of them takes, or accept it under `ignore` where they take
turns. MPS and MIG split the memory instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compiler.check.capacity import Asking, PoolCapacity, listed, pools, shown
from compiler.check.packing import minimal_conflicts, overfull
from compiler.check.rule import Finding, Rule, each_environment
from compiler.diagnostics import Related, Severity
from compiler.model.environment import Environment

_SETS = 6


def _check(environment: Environment) -> Iterator[Finding]:
    for pool in pools(environment):
        if not pool.shares_memory or pool.memory is None or pool.nodes is None:
            continue
        # A workload with several slices may spread over several cards, so nothing is certain about it.
        asking = [item for item in pool.workloads if item.vram and (item.workload.slices == 1 or _cards(pool) == 1)]
        sizes = [item.vram for item in asking]
        if _cards(pool) == 1:
            conflicts = minimal_conflicts(sizes, pool.memory, _SETS)
        else:
            conflicts = [found] if (found := overfull(sizes, _cards(pool), pool.memory)) else []
        if conflicts:
            yield _finding(pool, [[asking[index] for index in members] for members in conflicts])


def _cards(pool: PoolCapacity) -> int:
    return pool.pool.gpu.count * (pool.nodes or 0)


def _finding(pool: PoolCapacity, conflicts: Sequence[Sequence[Asking]]) -> Finding:
    first, *others = conflicts
    cards = _cards(pool)
    there = f"the {pool.pool.gpu.memory} of the card" if cards == 1 else f"{cards} cards of {pool.pool.gpu.memory}"
    more = f"; also too much: {'; '.join(_named(members) for members in others)}" if others else ""
    return Finding(
        f"{_named(first)} do not fit into {there} together: whoever allocates last runs out of memory",
        pool.workload_place(first[0], "vram"),
        f"run them at different times, or ignore this where they take turns{more}",
        tuple(Related("together with this one", pool.workload_place(item, "vram")) for item in first[1:4]),
    )


def _named(members: Sequence[Asking]) -> str:
    total = shown(sum(item.vram for item in members))
    if len(members) > 3:  # noqa: PLR2004 -- as many as a line takes with their sizes
        return f"{listed([item.name for item in members])} ({total})"
    return f"{listed([f'{item.name} ({item.workload.vram})' for item in members])}"


RULE = Rule("GPU405", "vram-together", each_environment(_check), Severity.WARNING)
