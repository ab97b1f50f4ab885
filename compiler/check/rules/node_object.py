"""A Node is among the objects that are applied.

What it does: looks for objects of kind Node, unless pruning is disabled on them.

Why it fails at run time: a Flux Kustomization or an Argo CD Application with pruning deletes what leaves git: it
deletes the node from the cluster, with its pods. And the kubelet may not be given labels that NodeRestriction protects
this way. Source: kustomize-controller's `prune`.

How to mend it: label nodes where they are made (on Talos: nodeLabels in the machine configuration), by a
NodeFeatureRule, or annotate the object `kustomize.toolkit.fluxcd.io/prune: disabled` and, for Argo CD,
`argocd.argoproj.io/sync-options: Prune=false`.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.plain import mapping, text
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene


def _check(scene: Scene) -> Iterator[Finding]:
    for item in scene.of_kind("Node"):
        annotations = mapping(item.get("metadata", "annotations"))
        kept = annotations.get("kustomize.toolkit.fluxcd.io/prune") == "disabled" or "Prune=false" in text(
            annotations.get("argocd.argoproj.io/sync-options")
        )
        if not kept and item.group == "":
            yield Finding(
                f"{item} is applied like a manifest: a GitOps tool that prunes deletes the node when it leaves git",
                item.place(("kind",)),
                "set its labels by a NodeFeatureRule or in the machine configuration, or disable pruning on it",
            )


RULE = SceneRule("GPU231", "node-object", _check)
