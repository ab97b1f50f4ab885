"""A workload's selector does not match its own pods.

What it does: compares the selector of every workload with the labels of its pod template.

Why it fails at run time: the API server refuses the object: "`selector` does not match template `labels`". Source:
k8s.io/kubernetes pkg/apis/apps/validation.

How to mend it: put the labels that are selected into the template.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.selectors import matches
from compiler.check.rule import Finding, SceneRule
from compiler.check.rules.selectors_overlap import KINDS
from compiler.check.scene import Scene, pod_templates


def _check(scene: Scene) -> Iterator[Finding]:
    for pod in pod_templates(scene):
        item = pod.owner
        if item.kind not in KINDS:
            continue
        selector = item.get("spec", "selector")
        if not isinstance(selector, dict) or not matches(selector, pod.labels):
            yield Finding(
                f"the selector of {item} does not match the labels of its own pods: the API server refuses it",
                item.place(("spec", "selector"), key=True),
                "put the same labels into spec.selector.matchLabels and spec.template.metadata.labels",
            )


RULE = SceneRule("GPU210", "selector-of-own", _check)
