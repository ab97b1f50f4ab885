"""A Flux object depends on something that is not there, or that nobody waits for.

What it does: looks up `dependsOn` of Kustomizations and HelmReleases among the objects. A dependency that is not there
is an error where nothing else is applied. One that neither waits nor has health checks is a warning.

Why it fails at run time: an object whose dependency does not exist is never applied ("dependency not found"). Without
`wait` or health checks a Kustomization is Ready as soon as it is applied, so whatever depends on it starts before NFD
has labelled or the plugin has advertised anything. Source: kustomize-controller's documentation of dependsOn; 9 of 18
edges in public repositories.

How to mend it: correct the name or namespace; set `wait: true` on the dependency.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.plain import items, text
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Located, Scene
from compiler.diagnostics import Related, Severity

_GROUPS = {"Kustomization": "kustomize.toolkit.fluxcd.io", "HelmRelease": "helm.toolkit.fluxcd.io"}


def _check(scene: Scene) -> Iterator[Finding]:
    for item in scene.of_kind(*_GROUPS):
        if item.group != _GROUPS[item.kind]:
            continue
        for index, needed in items(item.get("spec", "dependsOn")):
            name, namespace = text(needed.get("name")), text(needed.get("namespace")) or item.namespace
            place = item.place(("spec", "dependsOn", index, "name"))
            found = scene.find(item.kind, namespace, name)
            if found is None:
                if scene.whole and (item.kind, name) not in scene.external_names:
                    yield Finding(
                        f"{item} depends on the {item.kind} {namespace}/{name}, which nobody creates: it is never "
                        "applied",
                        place,
                        "correct name and namespace, or add it",
                    )
            elif item.kind == "Kustomization" and not _is_waited_for(found) and not needed.get("readyExpr"):
                yield Finding(
                    f"{item} depends on {name}, which is Ready as soon as it is applied: nothing waits for its pods",
                    place,
                    f"set wait: true on the Kustomization {name}, or give it healthChecks",
                    (Related("neither wait nor healthChecks", found.place(("metadata", "name"))),),
                    Severity.WARNING,
                )


def _is_waited_for(item: Located) -> bool:
    return item.get("spec", "wait") is True or bool(item.get("spec", "healthChecks"))


RULE = SceneRule("GPU244", "flux-depends-on", _check)
