"""A pod of the stack runs as an account that nobody creates.

What it does: looks up `serviceAccountName` of the stack's pods in their namespace, where nothing else is applied.

Why it fails at run time: the API server refuses the pod ("serviceaccount ... not found"); the DaemonSet stays without
pods. Source: k8s.io/kubernetes plugin/pkg/admission/serviceaccount.

How to mend it: add the ServiceAccount to the pod's namespace, or name one that is there.
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
        name = text(pod.spec.get("serviceAccountName"))
        namespace = pod.owner.namespace
        if name in {"", "default"} or exists_outside(scene, "ServiceAccount", name):
            continue
        if scene.find("ServiceAccount", namespace, name) is None:
            yield Finding(
                f"{pod} runs as the account {name}, which is not in its namespace: its pods are refused",
                pod.place("serviceAccountName"),
                f"add a ServiceAccount {name} to the namespace {namespace or 'default'}, or name one that is there",
            )


RULE = SceneRule("GPU216", "account-exists", _check)
