"""A Helm hook is applied as an ordinary object.

What it does: looks for Jobs and Pods with the annotation `helm.sh/hook`.

Why it fails at run time: only Helm knows hooks. `helm template` prints them among the rest, and Flux's Kustomization
and `kubectl` run them at once (Argo CD maps most hooks to its own). NFD's post-delete hook is a Job that takes all of
NFD's labels off all nodes: the GPU pods lose their nodes as soon as it is applied. Source: node-feature-discovery's
chart, templates/post-delete-job.yaml.

How to mend it: `helm template --no-hooks`, or delete the Job with its account, role and binding.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.plain import items, strings, text
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Located, Scene

_HOOK = "helm.sh/hook"


def _check(scene: Scene) -> Iterator[Finding]:
    for item in scene.of_kind("Job", "Pod", "CronJob"):
        hook = text(item.get("metadata", "annotations", _HOOK))
        if not hook:
            continue
        effect = "takes all of NFD's labels off the nodes" if _prunes(item) else "runs"
        yield Finding(
            f"{item} is Helm's {hook} hook; applied by anything but Helm it {effect} at once",
            item.place(("metadata", "annotations", _HOOK), key=True),
            "render with helm template --no-hooks, or delete it with its account, role and binding",
        )


def _prunes(item: Located) -> bool:
    containers = item.get("spec", "template", "spec", "containers")
    return any(
        word in {"-prune", "--prune"} for _, container in items(containers) for word in strings(container.get("args"))
    )


RULE = SceneRule("GPU230", "helm-hook", _check)
