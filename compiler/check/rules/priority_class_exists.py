"""A pod of the stack has a priority class that nobody creates.

What it does: looks up `priorityClassName` of the stack's pods, where nothing else is applied. `system-node-critical`
and `system-cluster-critical` are always there. Secrets under `imagePullSecrets` are taken to exist.

Why it fails at run time: the API server refuses the pod ("no PriorityClass with name ... was found"). Source:
k8s.io/kubernetes plugin/pkg/admission/priority.

How to mend it: use system-node-critical, or add the PriorityClass.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.certainty import exists_outside
from compiler.check.objects.plain import text
from compiler.check.objects.programs import stack_pods
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene


def _check(scene: Scene) -> Iterator[Finding]:
    for pod in {id(item.pod): item.pod for item in stack_pods(scene)}.values():
        name = text(pod.spec.get("priorityClassName"))
        if not name or name.startswith("system-") or exists_outside(scene, "PriorityClass", name):
            continue
        if not any(item.name == name for item in scene.of_kind("PriorityClass")):
            yield Finding(
                f"{pod} has the priority class {name}, which nobody creates: its pods are refused",
                pod.place("priorityClassName"),
                "use system-node-critical, or add the PriorityClass",
            )


RULE = SceneRule("GPU222", "priority-class-exists", _check)
