"""A pod that must run on a node pool does not tolerate the pool's taint.

What it does: for every node pool and every pod of the device plugin, GPU Feature Discovery, the DCGM exporter and the
MPS daemon that selects the pool, and for workloads that request a GPU, compares tolerations with the pool's NoSchedule
and NoExecute taints.

Why it fails at run time: the pod is never scheduled there, so the pool advertises no GPU or shows no metrics. A
DaemonSet without pods is healthy for Flux and Argo CD, and there is no event. Sources: dcgm-exporter#731,
k8s-device-plugin#734.

How to mend it: add the toleration. Where the taint is meant to keep the pod away, select other nodes.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.nodes import pools_for
from compiler.check.objects.programs import NEEDS_NVML, gpu_requests, running
from compiler.check.objects.taints import as_toleration, shown, untolerated
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import NodeFacts, PodTemplate, Scene
from compiler.diagnostics import Place, Related
from compiler.model.kube import Taint


def _check(scene: Scene) -> Iterator[Finding]:
    if scene.pools is None:
        return
    for item in running(scene, *NEEDS_NVML):
        for taint, pools in missing(scene, item.pod):
            yield Finding(
                f"{item} does not tolerate the taint {shown(taint)} of {named(pools)}: it never runs there, and a "
                "DaemonSet with 0 pods counts as healthy",
                place(item.pod),
                f"add to its tolerations: {as_toleration(taint)}",
                described(pools),
            )
    for pod in {id(request.pod): request.pod for request in gpu_requests(scene)}.values():
        able = pools_for(scene, pod)
        # A workload needs one pool that takes it; the stack has to run on every one.
        if not able or any(not untolerated(pod, pool.taints) for pool in able):
            continue
        taint, pools = missing(scene, pod)[0]
        yield Finding(
            f"{pod} requests a GPU, but does not tolerate the taint {shown(taint)} of {named(pools)}: its pods stay "
            "Pending",
            place(pod),
            f"add to its tolerations: {as_toleration(taint)}",
            described(pools),
        )


def missing(scene: Scene, pod: PodTemplate) -> list[tuple[Taint, list[NodeFacts]]]:
    """Return the taints that keep a pod off the pools that it selects, each with those pools."""
    found: dict[Taint, list[NodeFacts]] = {}
    for pool in pools_for(scene, pod):
        for taint in untolerated(pod, pool.taints):
            found.setdefault(taint, []).append(pool)
    return list(found.items())


def place(pod: PodTemplate) -> Place:
    """Return where the tolerations are, or should be."""
    return pod.place("tolerations", key=True) if pod.spec.get("tolerations") else pod.absent("tolerations")


def named(pools: list[NodeFacts]) -> str:
    """Return the pools' names for a message."""
    names = ", ".join(pool.pool for pool in pools)
    return f"pool {names}" if len(pools) == 1 else f"pools {names}"


def described(pools: list[NodeFacts]) -> tuple[Related, ...]:
    """Return where the pools were described."""
    return tuple(Related(f"pool {pool.pool}", pool.place) for pool in pools if pool.place)


RULE = SceneRule("GPU203", "taint-coverage", _check)
