"""A container has no image.

What it does: asks every container of every pod for an image, init containers too.

Why it fails at run time: the API server refuses the workload ("image: Required value"), and a GitOps tool then applies
nothing of the same folder. The usual cause is a strategic merge patch that names a container which is not there:
kustomize takes it for a new one and adds it, without a word. Source: k8s.io/kubernetes pkg/apis/core/validation.

How to mend it: name the container as it is called in the workload, or give the new one an image.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.plain import text
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene, pod_templates
from compiler.model.describe import suggest


def _check(scene: Scene) -> Iterator[Finding]:
    for pod in pod_templates(scene):
        whole = [text(container.get("name")) for _, container in pod.containers() if container.get("image")]
        for route, container in pod.containers():
            if container.get("image"):
                continue
            name = text(container.get("name"))
            meant = suggest(name, whole)
            yield Finding(
                f"the container {name or '(without a name)'} of {pod} has no image: the API server refuses it",
                pod.place(*route, "name"),
                f"did you mean the container {meant}?"
                if meant
                else f"containers with an image: {', '.join(whole) or 'none'}; name one of them, or add an image",
            )


RULE = SceneRule("GPU248", "container-image", _check)
