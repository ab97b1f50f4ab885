"""What workloads ask for and what pools offer, for the rules on capacity."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from compiler.diagnostics import Place
from compiler.model.advertised import advertised
from compiler.model.describe import Location
from compiler.model.environment import Environment
from compiler.model.overlay import Mps, NodePool, NoSharing, TimeSlicing, Workload
from compiler.model.scalars import quantity

_GIB = 1 << 30
_PROFILE = re.compile(r"[0-9]+g\.([0-9]+)gb.*")


@dataclass(frozen=True)
class Asking:
    """A workload with its index in the overlay."""

    index: int
    workload: Workload

    @property
    def name(self) -> str:
        """The workload's name."""
        return self.workload.name

    @property
    def vram(self) -> int:
        """VRAM that it declares, in bytes; 0 where it declares none."""
        return int(quantity(self.workload.vram)) if self.workload.vram else 0

    @property
    def loc(self) -> Location:
        """Its location in the overlay."""
        return ("workloads", self.index)


@dataclass(frozen=True)
class PoolCapacity:
    """A pool with the workloads on it."""

    environment: Environment
    index: int
    pool: NodePool
    workloads: tuple[Asking, ...]

    def place(self, *loc: int | str, key: bool = False) -> Place:
        """Return the place of a setting of the pool."""
        return self.environment.overlay_place(("nodePools", self.index, *loc), key=key)

    def workload_place(self, asking: Asking, field: str) -> Place:
        """Return the place of a workload's field, or of its name where it does not have the field."""
        written = field in self.environment.overlay_document.resolve((*asking.loc, field))
        return self.environment.overlay_place((*asking.loc, field if written else "name"))

    @property
    def nodes(self) -> int | None:
        """How many nodes the pool has; None where they are chosen by label."""
        return len(self.pool.nodes) or None

    @cached_property
    def offered(self) -> int | None:
        """How many of its resource each node offers; None where gpuc is not told, or where there are several kinds."""
        found = advertised(self.pool)
        return next(iter(found.values())) if found is not None and len(found) == 1 else None

    @property
    def memory(self) -> int | None:
        """VRAM of a card in bytes, where the pool says."""
        return int(quantity(self.pool.gpu.memory)) if self.pool.gpu.memory else None

    @property
    def replicas(self) -> int:
        """How many pods may hold one device, as far as one number says it."""
        sharing = self.pool.sharing
        return 1 if isinstance(sharing, NoSharing) else max(item.replicas for item in sharing.by_resource())

    def device_memory(self) -> int | None:
        """Return the VRAM of what is advertised once, before it is shared: a card, or the largest MIG instance.

        An instance's name tells its size in GB, rounded up: the true one is a little less.
        """
        if self.pool.mig.strategy == "none":
            return self.memory
        sizes = [int(match[1]) * _GIB for p in self.pool.mig.profiles if (match := _PROFILE.fullmatch(p.name))]
        return max(sizes, default=self.memory)

    def most_for_one(self, slices: int) -> int | None:
        """Return the VRAM in bytes that a pod with so many slices can get at the very most."""
        device = self.device_memory()
        if device is None:
            return None
        if isinstance(self.pool.sharing, Mps):
            return device // self.replicas
        if self.pool.mig.strategy != "none":
            return device * slices
        return device * min(slices, self.pool.gpu.count)

    @property
    def shares_memory(self) -> bool:
        """Whether pods see the same VRAM: with time-slicing nothing keeps one from taking another's."""
        return isinstance(self.pool.sharing, TimeSlicing) and self.pool.mig.strategy == "none"


def pools(environment: Environment) -> Iterator[PoolCapacity]:
    """Yield the pools of an environment with their workloads; workloads whose pool is not clear are left out."""
    overlay = environment.overlay
    for index, pool in enumerate(overlay.node_pools):
        alone = len(overlay.node_pools) == 1
        here = tuple(
            Asking(number, workload)
            for number, workload in enumerate(overlay.workloads)
            if workload.pool == pool.name or (workload.pool is None and alone)
        )
        yield PoolCapacity(environment, index, pool, here)


def shown(amount: int) -> str:
    """Return bytes as people write them: 18Gi, or 512Mi where it is not whole."""
    for unit, size in (("Gi", _GIB), ("Mi", 1 << 20), ("Ki", 1 << 10)):
        if amount % size == 0:
            return f"{amount // size}{unit}"
    return f"{amount / _GIB:.1f}Gi"


def listed(names: Sequence[str], most: int = 6) -> str:
    """Return names as a phrase: `a, b and c`, cut where there are many."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
