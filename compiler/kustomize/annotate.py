"""Annotations that objects carry for the tools that reconcile them."""

from __future__ import annotations

import json
from collections.abc import Mapping

from compiler.model.stack import GPUStack
from compiler.objects import Json, Obj

NO_SUBSTITUTION = {"kustomize.toolkit.fluxcd.io/substitute": "disabled"}
"""Flux's postBuild empties `${VAR}` before kustomize-controller 1.9 and fails on it from 1.9 on."""

_WAVE = "argocd.argoproj.io/sync-wave"
_WAVES = {"CustomResourceDefinition": "-2", "Namespace": "-2", "RuntimeClass": "-1"}
"""What others need goes first; Argo CD's own order of kinds lacks RuntimeClass."""


def annotated(obj: Obj, stack: GPUStack) -> Obj:
    """Return the object with the annotations that this stack's delivery and its own content ask for."""
    added = substitution(obj)
    if stack.delivery.argocd and obj["kind"] in _WAVES:
        added[_WAVE] = _WAVES[obj["kind"]]
    if not added:
        return obj
    meta = obj["metadata"]
    return {**obj, "metadata": {**meta, "annotations": dict(sorted({**meta.get("annotations", {}), **added}.items()))}}


def substitution(content: Json | Mapping[str, str]) -> dict[str, str]:
    """Return the annotation that keeps Flux from substituting, where something looks like a variable."""
    return dict(NO_SUBSTITUTION) if "${" in json.dumps(content) else {}
