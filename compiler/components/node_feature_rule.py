"""The NodeFeatureRule that makes `nvidia.com/gpu.present=true`, which every GPU pod selects."""

from __future__ import annotations

from compiler.components.api import Component, Context
from compiler.components.placement import POOL_LABEL, needs_label
from compiler.components.pods import labels, metadata
from compiler.model.stack import GPU_PRESENT
from compiler.objects import Obj

NAME = "nvidia-gpu-present"
_NVIDIA_GPU = {
    "feature": "pci.device",
    "matchExpressions": {
        "vendor": {"op": "In", "value": ["10de"]},
        "class": {"op": "In", "value": ["0300", "0302"]},
    },
}
"""PCI vendor 10de is NVIDIA; class 0300 is a VGA controller (GeForce), 0302 a 3D controller (data-centre cards)."""


class NodeFeatureRule(Component):
    """Nothing else in a stack without the GPU Operator sets this label: without it every DaemonSet has 0 pods.

    Where there are several pools, nodes that are named also get a label that tells which pool they are in.
    """

    name = "node-feature-rule"

    def shared(self, context: Context) -> list[Obj]:
        """Return the NodeFeatureRule, which is cluster-scoped; none where its labels all come from elsewhere."""
        rules = [_rule(NAME, {GPU_PRESENT: "true"}, [_NVIDIA_GPU])] if context.stack.needs_gpu_present_rule else []
        rules += [
            _rule(
                f"gpu-pool-{pool.name}",
                {POOL_LABEL: pool.name},
                [_NVIDIA_GPU, _named(sorted(n.name for n in pool.nodes))],
            )
            for pool in context.pools
            if needs_label(pool, context.pools)
        ]
        if not rules:
            return []
        return [
            {
                "apiVersion": "nfd.k8s-sigs.io/v1alpha1",
                "kind": "NodeFeatureRule",
                "metadata": metadata(NAME, None, labels(NAME, "node-feature-rule")),
                "spec": {"rules": rules},
            }
        ]


def _rule(name: str, made: dict[str, str], features: list[Obj]) -> Obj:
    return {"name": name, "labels": made, "matchFeatures": features}


def _named(nodes: list[str]) -> Obj:
    """Match nodes by name. Source: node-feature-discovery, source/system: system.name has the attribute nodename."""
    return {"feature": "system.name", "matchExpressions": {"nodename": {"op": "In", "value": nodes}}}


COMPONENT = NodeFeatureRule()
