"""Projects for tests, written as the YAML that a user would write and compiled in memory."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from compiler.objects import Obj
from compiler.pipeline import Built, build

STACK = """\
apiVersion: gpuc/v1alpha1
kind: GPUStack
namespace: gpu
kubernetes: {version: "1.34"}
platform: {os: talos, version: v1.13.3}
nodeFeatureDiscovery: {version: v0.19.0}
devicePlugin: {version: v0.20.0, deviceDiscoveryStrategy: nvml}
dcgmExporter: {version: 4.5.3-4.8.2-distroless, serviceMonitor: {enabled: true}}
"""
OVERLAY = "apiVersion: gpuc/v1alpha1\nkind: Overlay\n"
POOL = "nodePools: [{name: a, nodes: [{name: node-1}]}]\n"
TWO_POOLS = """\
nodePools:
  - name: named
    nodes: [{name: node-1}, {name: node-2}]
    taints: [{key: dedicated, value: ai, effect: NoSchedule}]
    sharing: {strategy: time-slicing, replicas: 4}
  - name: labelled
    nodeSelector: {example.com/gpu: whole}
"""


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files by path relative to a folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(dedent(text), "utf-8")


def compiled(folder: Path, body: str = POOL, *, stack: str = STACK, **files: str) -> Built:
    """Return a compiled project with one overlay, `lab`, whose lines after the cluster's name are `body`.

    Each of `files` is a patch in the overlay's folder, keyed by its name without `.yaml`.
    """
    overlay = f"{OVERLAY}cluster: lab\n{dedent(body)}"
    patches = {f"overlays/lab/{name}.yaml": text for name, text in files.items()}
    write(folder, {"base/stack.yaml": stack, "overlays/lab/overlay.yaml": overlay, **patches})
    return build(folder)


def objects(built: Built, root: str = "overlays/lab") -> dict[str, Obj]:
    """Return the objects of a Kustomize root as `Kind/name`."""
    found = {f"{obj['kind']}/{obj['metadata']['name']}": obj for obj in built.tree.roots[root].expected}
    assert len(found) == len(built.tree.roots[root].expected)
    return found


def container(obj: Obj, index: int = 0) -> Obj:
    """Return a container of a workload."""
    found: Obj = obj["spec"]["template"]["spec"]["containers"][index]
    return found


def env(obj: Obj) -> dict[str, object]:
    """Return the environment of a workload's first container."""
    return {item["name"]: item.get("value", item.get("valueFrom")) for item in container(obj)["env"]}
