"""Pods of the stack are in a namespace that nobody creates.

What it does: looks up the namespace of the stack's pods among the objects and those that exist already, where nothing
else is applied.

Why it fails at run time: every object in it is refused ("namespaces ... not found"). `helm install --create-namespace`
and Argo CD's CreateNamespace create it without the Pod Security labels that the pods need.

How to mend it: add the Namespace, or say that it exists already.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.certainty import exists_outside
from compiler.check.objects.programs import stack_pods
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene

_EVERYWHERE = frozenset({"", "default", "kube-system", "kube-public", "kube-node-lease"})


def _check(scene: Scene) -> Iterator[Finding]:
    known = _EVERYWHERE | {item.name for item in scene.of_kind("Namespace")}
    for item in stack_pods(scene):
        if item.namespace in known or exists_outside(scene, "Namespace", item.namespace):
            continue
        known |= {item.namespace}
        yield Finding(
            f"nobody creates the namespace {item.namespace} of {item.pod}: everything in it is refused",
            item.pod.owner.place(("metadata", "namespace")),
            f"add a Namespace {item.namespace} with the label pod-security.kubernetes.io/enforce: privileged",
        )


RULE = SceneRule("GPU221", "namespace-exists", _check)
