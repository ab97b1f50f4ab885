"""NFD's worker does not tolerate a node pool's taint.

What it does: compares the tolerations of every NFD worker with the taints of the pools that it selects.

Why it fails at run time: without a worker a node gets no labels, so nothing that selects a label of NFD's, of a
NodeFeatureRule or of GPU Feature Discovery runs there: no device plugin, no GPU, and no event anywhere. The device
plugin chart's tolerations do not reach its NFD subchart. Sources: k8s-device-plugin#1934 and #734.

How to mend it: give the worker the toleration. NFD labels the nodes of the whole cluster, so it may well tolerate every
taint.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.nodes import demands, pools_for
from compiler.check.objects.programs import NEEDS_NVML, Program, gpu_requests, running
from compiler.check.objects.taints import as_toleration, shown
from compiler.check.rule import Finding, SceneRule
from compiler.check.rules.taint_coverage import described, missing, named, place
from compiler.check.scene import NodeFacts, Scene


def _check(scene: Scene) -> Iterator[Finding]:
    if scene.pools is None:
        return
    for worker in running(scene, Program.NFD_WORKER):
        for taint, pools in missing(scene, worker.pod):
            waiting = _waiting(scene, pools)
            ends = f"so {waiting} never run there" if waiting else "so nothing that selects its labels runs there"
            yield Finding(
                f"{worker} does not tolerate the taint {shown(taint)} of {named(pools)}: the nodes get no labels, "
                f"{ends}; there is no event, and the apply is green",
                place(worker.pod),
                "add to the worker's own tolerations (worker.tolerations in NFD's chart, nfd.worker.tolerations in the "
                f"device plugin's): {as_toleration(taint)}",
                described(pools),
            )


def _waiting(scene: Scene, pools: list[NodeFacts]) -> str:
    """Return which pods wait for labels on the pools."""
    names = {pool.pool for pool in pools}
    pods = {str(item.pod): item.pod for item in running(scene, *NEEDS_NVML)}
    pods |= {str(item.pod): item.pod for item in gpu_requests(scene)}
    return ", ".join(
        name
        for name, pod in pods.items()
        if any(item.needs_label and _not_declared(item.label, pools) for way in demands(pod) for item in way)
        and any(pool.pool in names for pool in pools_for(scene, pod))
    )


def _not_declared(label: str, pools: list[NodeFacts]) -> bool:
    return any(label not in pool.labels for pool in pools)


RULE = SceneRule("GPU204", "nfd-worker-taint", _check)
