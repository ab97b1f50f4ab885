"""The NodeFeatureRule that makes `nvidia.com/gpu.present=true`, which every GPU pod selects."""

from __future__ import annotations

from compiler.components.api import Component, Context
from compiler.components.pods import labels, metadata
from compiler.model.stack import GPU_PRESENT, GPUStack
from compiler.objects import Obj


class NodeFeatureRule(Component):
    """Nothing else in a stack without the GPU Operator sets this label: without it every DaemonSet has 0 pods.

    PCI vendor 10de is NVIDIA; class 0300 is a VGA controller (GeForce), 0302 a 3D controller (data-centre cards).
    """

    name = "node-feature-rule"

    def enabled(self, stack: GPUStack) -> bool:
        """Whether the label still needs a producer."""
        return stack.needs_gpu_present_rule

    def shared(self, context: Context) -> list[Obj]:  # noqa: ARG002 -- the same for every stack
        """Return the NodeFeatureRule, which is cluster-scoped."""
        name = "nvidia-gpu-present"
        return [
            {
                "apiVersion": "nfd.k8s-sigs.io/v1alpha1",
                "kind": "NodeFeatureRule",
                "metadata": metadata(name, None, labels(name, "node-feature-rule")),
                "spec": {
                    "rules": [
                        {
                            "name": name,
                            "labels": {GPU_PRESENT: "true"},
                            "matchFeatures": [
                                {
                                    "feature": "pci.device",
                                    "matchExpressions": {
                                        "vendor": {"op": "In", "value": ["10de"]},
                                        "class": {"op": "In", "value": ["0300", "0302"]},
                                    },
                                }
                            ],
                        }
                    ]
                },
            }
        ]


COMPONENT = NodeFeatureRule()
