"""Environments to draw, from texts."""

from __future__ import annotations

from pathlib import Path

from compiler.model.environment import Environment
from compiler.pipeline import read
from tests.inputs.project import OVERLAY, OVERLAY_TEXT, STACK, STACK_TEXT, write

HEAD = "apiVersion: gpuc/v1alpha1\nkind: Overlay\ncluster: lab\n"
GENERIC_STACK = STACK_TEXT.replace("{os: talos, version: v1.13.3}", "{os: generic}").replace(
    "deviceDiscoveryStrategy: nvml", "deviceDiscoveryStrategy: auto"
)
TWO_POOLS = f"""\
{HEAD}nodePools:
  - name: mig
    nodes: [{{name: m1, address: 10.0.0.1}}]
    gpu: {{product: NVIDIA A100-SXM4-80GB, count: 2, memory: 80Gi}}
    mig: {{strategy: mixed, profiles: [{{name: 1g.10gb, count: 4}}, {{name: 3g.40gb, count: 1}}]}}
  - name: shared
    nodeSelector: {{example.com/pool: shared}}
    taints: [{{key: nvidia.com/gpu, effect: NoSchedule}}]
    gpu: {{product: Tesla T4, count: 4, memory: 16Gi}}
    sharing: {{strategy: time-slicing, replicas: 4}}
workloads:
  - {{name: b, namespace: c, pool: shared, vram: 4Gi, slices: 3}}
"""


def environment(root: Path, overlay: str = OVERLAY_TEXT, stack: str = STACK_TEXT) -> Environment:
    """Return the environment that the texts describe."""
    (found,) = read(write(root, {OVERLAY: overlay, STACK: stack})).environments
    return found


def many(nodes: int, replicas: int = 2, slices: int = 1, name: str = "n") -> str:
    """Return an overlay with so many nodes and slices."""
    listed = ", ".join(f"{{name: {name}{number}}}" for number in range(nodes))
    return f"""\
{HEAD}nodePools:
  - name: a
    nodes: [{listed}]
    sharing: {{strategy: time-slicing, replicas: {replicas}}}
workloads:
  - {{name: w, namespace: x, slices: {slices}}}
"""
