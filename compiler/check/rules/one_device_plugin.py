"""Two device plugins would run on the same nodes.

What it does: for every node pool, counts the DaemonSets of the device plugin that select it; where nothing is known of
the nodes, compares what the DaemonSets select.

Why it fails at run time: both register nvidia.com/gpu with the kubelet; the one that registers last wins, and that
changes with every restart: the number of GPUs jumps, and containers get devices that the other one does not know of.

How to mend it: remove one, or let them select different nodes.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.duplicates import doubled
from compiler.check.objects.programs import Program
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene
from compiler.diagnostics import Related


def _check(scene: Scene) -> Iterator[Finding]:
    for first, second, where in doubled(scene, Program.PLUGIN):
        yield Finding(
            f"{second.pod} and {first.pod} are both device plugins for {where}: the one that registers last wins",
            second.pod.owner.place(("metadata", "name")),
            "remove one, or give them node selectors that no node meets both of",
            (Related("the other device plugin", first.pod.owner.place(("metadata", "name"))),),
        )


RULE = SceneRule("GPU226", "one-device-plugin", _check)
