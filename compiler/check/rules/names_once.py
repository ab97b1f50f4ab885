"""A node pool, a node or a workload is named twice.

What it does: refuses a name that occurs twice in an overlay: of a node pool, of a node (in one pool or in two), of a
workload in its namespace.

Why it fails at run time: two pools of one name compile to the same objects; a node in two pools runs two device
plugins, and the one that registers last with the kubelet wins.

How to mend it: remove one, or rename it.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.rule import Finding, Rule, each_environment
from compiler.diagnostics import Related
from compiler.model.describe import Location
from compiler.model.environment import Environment


def _names(environment: Environment) -> Iterator[tuple[str, Location]]:
    for index, pool in enumerate(environment.overlay.node_pools):
        yield f"node pool {pool.name}", ("nodePools", index, "name")
        for number, node in enumerate(pool.nodes):
            yield f"node {node.name}", ("nodePools", index, "nodes", number, "name")
    for index, workload in enumerate(environment.overlay.workloads):
        yield f"workload {workload.namespace}/{workload.name}", ("workloads", index, "name")


def _check(environment: Environment) -> Iterator[Finding]:
    first: dict[str, Location] = {}
    for what, loc in _names(environment):
        earlier = first.setdefault(what, loc)
        if earlier != loc:
            yield Finding(
                f"the {what} is named twice: only one of them could be right on the cluster",
                environment.overlay_place(loc),
                "remove one of the two, or rename it",
                (Related("named here first", environment.overlay_place(earlier)),),
            )


RULE = Rule("GPU102", "names-once", each_environment(_check))
