"""What each node must advertise once the stack works."""

from __future__ import annotations

from compiler.model.advertised import advertised
from compiler.model.environment import Environment


def by_node(environment: Environment) -> dict[str, dict[str, int]]:
    """Return the count of every resource by node, for the nodes that are named and whose count gpuc is told."""
    found = {}
    for pool in environment.overlay.node_pools:
        count = advertised(pool)
        if count is not None:
            found.update({node.name: count for node in pool.nodes})
    return found
