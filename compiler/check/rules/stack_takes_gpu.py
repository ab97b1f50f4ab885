"""A program of the stack requests a GPU for itself.

What it does: looks for resources of `nvidia.com` in the pods of the device plugin, GPU Feature Discovery, the DCGM
exporter, the MPS daemon and NFD.

Why it fails at run time: the pod takes a slice that a workload was to have, or waits for ever where the plugin itself
asks; the exporter then sees one card only, and on an unshared card starves the workload. The programs find the cards
through the RuntimeClass. Source: seen in 8 of 63 public repositories with the exporter.

How to mend it: remove the resource, and set `runtimeClassName: nvidia`.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.programs import gpu_resources, stack_pods
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene


def _check(scene: Scene) -> Iterator[Finding]:
    for pod, who in {id(item.pod): (item.pod, item) for item in stack_pods(scene)}.values():
        for route, container in pod.containers():
            for within, resource, _ in gpu_resources(container):
                yield Finding(
                    f"{who} requests {resource}: it takes a slice from the workloads and sees one card only",
                    pod.place(*route, *within, key=True),
                    "remove it, in limits and requests: runtimeClassName nvidia shows it every card",
                )


RULE = SceneRule("GPU232", "stack-takes-gpu", _check)
