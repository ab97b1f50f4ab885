"""An object that needs a namespace has none.

What it does: looks for namespaced objects without `metadata.namespace`.

Why it fails at run time: they land in whatever namespace the tool that applies them is in: `default`, or Flux's own.
There the stack's accounts, ConfigMaps and Pod Security labels are not. Sources: gpu-operator#546 and #754;
kustomize-controller sets none but its own `targetNamespace`.

How to mend it: set `metadata.namespace`, or `namespace:` in kustomization.yaml.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.kinds import is_namespaced
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene


def _check(scene: Scene) -> Iterator[Finding]:
    for item in scene.objects:
        if not item.namespace and is_namespaced(scene, item):
            yield Finding(
                f"{item} has no namespace: it lands in whatever namespace the tool that applies it is in",
                item.absent("metadata", "namespace"),
                "set metadata.namespace, or namespace: in kustomization.yaml",
            )


RULE = SceneRule("GPU219", "namespace-given", _check)
