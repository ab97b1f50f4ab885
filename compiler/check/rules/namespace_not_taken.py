"""A cluster-scoped object has a namespace.

What it does: looks for `metadata.namespace` on objects whose kind has none, such as RuntimeClass and ClusterRole.

Why it fails at run time: the API server drops the field, or refuses the object with strict validation; a GitOps tool
then compares what is in git with what is there, and shows drift for ever. Source: `kustomize build` and `helm template`
print what they are given; Argo CD compares it field by field.

How to mend it: delete the field. In kustomize `namespace:` spares cluster-scoped kinds; a patch or a chart does not.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.kinds import is_namespaced
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene


def _check(scene: Scene) -> Iterator[Finding]:
    for item in scene.objects:
        if item.namespace and is_namespaced(scene, item) is False:
            yield Finding(
                f"{item} is cluster-scoped and has a namespace: the API server drops it, and the difference from git "
                "shows as drift for ever",
                item.place(("metadata", "namespace"), key=True),
                "delete metadata.namespace",
            )


RULE = SceneRule("GPU220", "namespace-not-taken", _check)
