"""A GPU is requested without a limit, or with another one.

What it does: compares `requests` and `limits` for resources of `nvidia.com`.

Why it fails at run time: an extended resource cannot be overcommitted; the API server refuses a pod whose request has
no equal limit ("Limit must be set for non overcommitable resources"). Source: k8s.io/kubernetes
pkg/apis/core/validation, ValidateResourceRequirements.

How to mend it: put it under `limits`; the request follows from it.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.plain import mapping
from compiler.check.objects.programs import GPU_PREFIX, whole
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene, pod_templates


def _check(scene: Scene) -> Iterator[Finding]:
    for pod in pod_templates(scene):
        for route, container in pod.containers():
            resources = mapping(container.get("resources"))
            limits = mapping(resources.get("limits"))
            for name, amount in mapping(resources.get("requests")).items():
                if not name.startswith(GPU_PREFIX) or whole(limits.get(name)) == whole(amount):
                    continue
                what = f"limits it to {limits[name]}" if name in limits else "sets no limit"
                yield Finding(
                    f"{pod} requests {amount} of {name} and {what}: the API server refuses the pod",
                    pod.place(*route, "resources", "requests", name, key=True),
                    f"write limits: {{{name}: {amount}}} and leave out the request",
                )


RULE = SceneRule("GPU242", "limits-given", _check)
