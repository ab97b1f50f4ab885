"""A pod of the stack has a priority class that cannot exist, or one that is misspelt.

What it does: looks at `priorityClassName` of the stack's pods. Names that begin with `system-` are reserved, and there
are only two: `system-node-critical` and `system-cluster-critical`. Of other names the finding is one that differs by a
letter from a PriorityClass among the objects; else they are taken to exist, as Secrets under `imagePullSecrets` are.

Why it fails at run time: the API server refuses the pod ("no PriorityClass with name ... was found"). Source:
k8s.io/kubernetes plugin/pkg/admission/priority and pkg/apis/scheduling.

How to mend it: use system-node-critical, or the name of a PriorityClass.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.plain import text
from compiler.check.objects.programs import stack_pods
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene
from compiler.model.describe import suggest

_SYSTEM = ("system-node-critical", "system-cluster-critical")


def _check(scene: Scene) -> Iterator[Finding]:
    known = [item.name for item in scene.of_kind("PriorityClass")]
    for pod in {id(item.pod): item.pod for item in stack_pods(scene)}.values():
        name = text(pod.spec.get("priorityClassName"))
        if not name or name in _SYSTEM or name in known or ("PriorityClass", name) in scene.external_names:
            continue
        reserved = name.startswith("system-")
        meant = suggest(name, [*_SYSTEM] if reserved else known)
        if reserved or meant:
            yield Finding(
                f"{pod} has the priority class {name}, which nobody creates: its pods are refused",
                pod.place("priorityClassName"),
                f"did you mean {meant}?" if meant else f"use {_SYSTEM[0]}",
            )


RULE = SceneRule("GPU222", "priority-class-exists", _check)
