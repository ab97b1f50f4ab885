"""How pods other than the stack's own find the nodes of a pool."""

from __future__ import annotations

from collections.abc import Sequence

from compiler.model.overlay import NodePool
from compiler.model.stack import GPU_PRESENT

POOL_LABEL = "feature.node.kubernetes.io/gpu-pool"
"""Label that a NodeFeatureRule puts on the nodes of a pool of named nodes, where there are several pools.

The prefix is NFD's own, which its master always accepts.
"""


def needs_label(pool: NodePool, pools: Sequence[NodePool]) -> bool:
    """Whether the pool's nodes need a label to be told from those of other pools."""
    return len(pools) > 1 and bool(pool.nodes)


def pool_selector(pool: NodePool, pools: Sequence[NodePool]) -> dict[str, str]:
    """Return the nodeSelector that puts a pod on a node of the pool, among all pools of the cluster."""
    own = {POOL_LABEL: pool.name} if needs_label(pool, pools) else pool.node_selector
    return {GPU_PRESENT: "true", **dict(sorted(own.items()))}
