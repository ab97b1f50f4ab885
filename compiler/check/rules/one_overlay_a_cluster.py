"""Two overlays name the same cluster.

What it does: refuses two overlays with the same `cluster`.

Why it fails at run time: an overlay is what a GitOps tool applies, whole, to one cluster. Two of them would apply two
namespaces, two NFDs and two device plugins there, each undoing the other.

How to mend it: put the node pools of both into one overlay, or give the second its own cluster.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.rule import Finding, Rule
from compiler.diagnostics import Related
from compiler.model.environment import Environment, Project


def _check(project: Project) -> Iterator[Finding]:
    first: dict[str, Environment] = {}
    for environment in project.environments:
        cluster = environment.overlay.cluster
        other = first.setdefault(cluster, environment)
        if other is not environment:
            yield Finding(
                f"{other.name} and {environment.name} both name the cluster {cluster}: each would undo the other",
                environment.overlay_place(("cluster",)),
                "make the second one's pools `nodePools` of the first, or name its own cluster",
                (Related("the other overlay", other.overlay_place(("cluster",))),),
                environment=environment.name,
            )


RULE = Rule("GPU101", "one-overlay-a-cluster", _check)
