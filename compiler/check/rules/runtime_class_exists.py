"""A pod names a RuntimeClass that nobody creates.

What it does: looks up the `runtimeClassName` of every pod among the objects and those that exist already.

Why it fails at run time: the API server refuses a pod whose RuntimeClass does not exist; the DaemonSet stays without
pods. NVIDIA's charts do not create the object, and Talos ships none. Source: k8s.io/kubernetes
plugin/pkg/admission/runtimeclass.

How to mend it: add the RuntimeClass, or say that it exists already.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.certainty import exists_outside
from compiler.check.objects.plain import text
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene, pod_templates


def _check(scene: Scene) -> Iterator[Finding]:
    known = {item.name for item in scene.of_kind("RuntimeClass")}
    for pod in pod_templates(scene):
        name = text(pod.spec.get("runtimeClassName"))
        if name and name not in known and not exists_outside(scene, "RuntimeClass", name):
            there = f"there is {', '.join(sorted(known))}; or add" if known else "add"
            yield Finding(
                f"{pod} names the RuntimeClass {name}, which nobody creates: its pods are refused",
                pod.place("runtimeClassName"),
                f"{there} {{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {{name: {name}}}, "
                "handler: nvidia}",
            )


RULE = SceneRule("GPU207", "runtime-class-exists", _check)
