"""A workload requests a GPU and sets NVIDIA_VISIBLE_DEVICES itself.

What it does: looks for the variable in containers that request a resource of `nvidia.com`.

Why it matters: the variable in the pod and the one that the device plugin hands out are the same one, and the pod's own
can win: the container then sees every card, whatever it was given, and two pods on one card run out of memory. On nodes
with one card it changes nothing. Source: nvidia-container-toolkit, and public reports.

How to mend it: delete the variable; the device plugin sets it.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.nodes import pools_for
from compiler.check.objects.programs import env_of, gpu_requests
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene
from compiler.diagnostics import Severity

_VARIABLE = "NVIDIA_VISIBLE_DEVICES"


def _check(scene: Scene) -> Iterator[Finding]:
    seen: set[int] = set()
    for request in gpu_requests(scene):
        env = env_of(request.container)
        if _VARIABLE not in env or id(request.container) in seen:
            continue
        seen.add(id(request.container))
        index, value = env[_VARIABLE]
        pools = pools_for(scene, request.pod) if scene.pools else []
        harmless = bool(pools) and all(pool.cards == 1 for pool in pools)
        effect = (
            "harmless here, since its nodes have one card, but not on the next node"
            if harmless
            else "it sees those cards whatever it was given, and two pods can end up on one card"
        )
        yield Finding(
            f"{request.pod} requests {request.resource} and sets {_VARIABLE}={value} itself: {effect}",
            request.pod.place(*request.container_route, "env", index, "name"),
            f"delete {_VARIABLE}: the device plugin sets it",
        )


RULE = SceneRule("GPU239", "request-and-pin", _check, Severity.WARNING)
