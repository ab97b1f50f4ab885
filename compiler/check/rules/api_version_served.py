"""An object is written for an API version that is no longer served.

What it does: compares `apiVersion` with the versions that Kubernetes 1.25 and later, Flux 2.8 and later, and the CRDs
among the objects serve.

Why it fails at run time: the API server does not know the kind, and nothing from the same folder is applied. Sources:
Kubernetes' deprecation guide; Flux removed v1beta1 and v2beta1 in 2.7, v1beta2 and v2beta2 in 2.8.

How to mend it: use the version that is named.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.kinds import crds, served_instead, serves
from compiler.check.objects.plain import items, text
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene


def _check(scene: Scene) -> Iterator[Finding]:
    known = crds(scene)
    for item in scene.objects:
        version = str(item.obj["apiVersion"])
        instead = served_instead(version)
        crd = known.get((item.group, item.kind))
        if crd is not None and not serves(crd, version.rpartition("/")[2]):
            served = [text(entry.get("name")) for _, entry in items(crd.get("spec", "versions")) if entry.get("served")]
            instead = f"{item.group}/{served[-1]}" if served else None
        elif instead is None:
            continue
        yield Finding(
            f"{item} is written for {version}, which is not served: the API server does not know it",
            item.place(("apiVersion",)),
            f"use {instead}" if instead else "use a version that the CRD serves",
        )


RULE = SceneRule("GPU224", "api-version-served", _check)
