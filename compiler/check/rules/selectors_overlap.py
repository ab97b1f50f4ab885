"""Two workloads select each other's pods.

What it does: looks for workloads in one namespace whose selector matches the pods of another one.

Why it fails at run time: controllers adopt and count pods by their labels, and a Service in front of them mixes their
endpoints. The device plugin's chart gives the plugin, GPU Feature Discovery and the MPS daemon one and the same
selector. Sources: k8s-device-plugin#982 and #1480.

How to mend it: give each workload a label of its own, in selector and template. Selectors cannot be changed in place:
delete the workload once.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.selectors import selected
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Located, Scene
from compiler.diagnostics import Related

KINDS = ("DaemonSet", "Deployment", "StatefulSet", "ReplicaSet")


def _check(scene: Scene) -> Iterator[Finding]:
    for item in scene.of_kind(*KINDS):
        selector = item.get("spec", "selector")
        if not isinstance(selector, dict) or not selector:
            continue
        others: dict[int, Located] = {
            id(pod.owner): pod.owner
            for pod in selected(scene, item.namespace, selector)
            if pod.owner.id != item.id and pod.owner.kind in KINDS
        }
        if others:
            names = ", ".join(str(other) for other in others.values())
            yield Finding(
                f"the selector of {item} also selects the pods of {names}: controllers and Services cannot tell them "
                "apart",
                item.place(("spec", "selector"), key=True),
                "give each workload a label of its own, such as app.kubernetes.io/component, in selector and template",
                tuple(
                    Related("pods that it selects", other.place(("spec", "template", "metadata", "labels"), key=True))
                    for other in others.values()
                ),
            )


RULE = SceneRule("GPU209", "selectors-overlap", _check)
