"""A pod that needs a GPU can land on a node without one.

What it does: looks for pods of the device plugin, GPU Feature Discovery, the DCGM exporter and the MPS daemon that
demand nothing of their node, or only what every node has.

Why it fails at run time: on a node without a card the exporter and GPU Feature Discovery crash for ever, and the
RuntimeClass's handler may not even exist there. The exporter's chart has no affinity of its own. Sources:
gpu-operator#138, dcgm-exporter's chart 4.8.2.

How to mend it: select GPU nodes, such as by `nvidia.com/gpu.present: "true"`.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.nodes import demands
from compiler.check.objects.programs import NEEDS_NVML, running
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene

_EVERY_NODE = frozenset({"kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/os", "beta.kubernetes.io/arch"})


def _check(scene: Scene) -> Iterator[Finding]:
    for item in running(scene, *NEEDS_NVML):
        ways = demands(item.pod)
        if any(all(_is_nothing(demand.label, demand.operator) for demand in way) for way in ways):
            yield Finding(
                f"{item} selects no nodes: it runs on those without a GPU too, and crashes there",
                item.pod.absent("nodeSelector"),
                'give its pods a nodeSelector, such as nvidia.com/gpu.present: "true"',
            )


def _is_nothing(label: str, operator: str) -> bool:
    return label in _EVERY_NODE or operator in {"NotIn", "DoesNotExist"}


RULE = SceneRule("GPU205", "gpu-nodes-only", _check)
