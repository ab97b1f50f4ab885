"""Pools with their platform and card, for the rules on platforms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from compiler.diagnostics import Place
from compiler.model.cards import Card, card
from compiler.model.environment import Environment
from compiler.model.overlay import NodePool
from compiler.model.stack import TalosPlatform


@dataclass(frozen=True)
class PoolPlatform:
    """A pool, the Talos that its nodes run (None on other platforms), and its card where the product name tells."""

    environment: Environment
    index: int
    pool: NodePool
    talos: TalosPlatform | None
    card: Card | None

    def place(self, *loc: int | str, key: bool = False) -> Place:
        """Return the place of a setting of the pool; of the nearest that was written where it was not."""
        return self.environment.overlay_place(("nodePools", self.index, *loc), key=key)

    def platform_place(self) -> Place:
        """Return where the platform of the pool is said."""
        if self.pool.platform is not None:
            return self.place("platform")
        return self.environment.stack_place(("platform",))


def platforms(environment: Environment) -> Iterator[PoolPlatform]:
    """Yield the pools of an environment."""
    for index, pool in enumerate(environment.overlay.node_pools):
        platform = pool.platform or environment.stack.platform
        talos = platform if isinstance(platform, TalosPlatform) else None
        yield PoolPlatform(environment, index, pool, talos, card(pool.gpu.product))
