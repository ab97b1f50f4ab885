"""What leaves the tree, and whether Flux or Argo CD then deletes it from the cluster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from compiler.diff.compare import Change
from compiler.diff.effect import Effect, get, listed
from compiler.diff.side import Side
from compiler.objects import Obj

_KEPT = {
    "kustomize.toolkit.fluxcd.io/prune": "disabled",
    "argocd.argoproj.io/sync-options": "Prune=false",
    "helm.sh/resource-policy": "keep",
}
_DELIVERY = frozenset({"Kustomization", "Application"})


def pruning_effects(changes: Sequence[Change], old: Side, new: Side) -> Iterator[Effect]:
    """Yield what is pruned, what stays, and what moves between two roots."""
    added = {change.id: change for change in changes if change.kind == "added"}
    groups: dict[str, list[str]] = {}
    for change in changes:
        if change.kind != "removed":
            continue
        if change.id in added:
            yield Effect(
                "interrupts",
                f"{change.id} moves from {change.root} to {added[change.id].root}: whoever applies the first may "
                "delete it after the second was applied, until the next reconciliation",
            )
        elif change.id.kind in _DELIVERY and change.root.startswith(("flux/", "argocd/")):
            yield Effect("interrupts", _without_delivery(change))
        elif _kept(change.old):
            groups.setdefault("kept", []).append(str(change.id))
        else:
            groups.setdefault(_pruner(change.root, new) or _pruner(change.root, old) or "", []).append(str(change.id))
    for pruner, names in groups.items():
        if pruner == "kept":
            yield Effect("note", f"leaves the tree but stays on the cluster, never pruned: {listed(names)}")
        elif pruner:
            yield Effect("note", f"{pruner} prunes {listed(names)}")
        else:
            yield Effect("note", f"nothing here prunes what leaves the tree; delete by hand: {listed(names)}")


def _without_delivery(change: Change) -> str:
    if change.id.kind == "Kustomization" and get(change.old, "spec", "prune") is True:
        return f"Flux's {change.id} goes: Flux prunes everything that it applied"
    return f"{change.id} goes: what it applied stays on the cluster, and nobody updates it"


def _kept(obj: Obj | None) -> bool:
    annotations = get(obj, "metadata", "annotations") or {}
    return any(wanted in str(annotations.get(key, "")).split(",") for key, wanted in _KEPT.items())


def _pruner(root: str, side: Side) -> str | None:
    """Return who applies a root and prunes it, by the paths of the delivering objects."""
    for obj in _delivering(side):
        path = get(obj, "spec", "path") or get(obj, "spec", "source", "path")
        if not isinstance(path, str) or not f"/{path.strip('./')}".endswith(f"/{root}"):
            continue
        if obj["kind"] == "Kustomization" and get(obj, "spec", "prune") is True:
            return f"Flux ({obj['metadata']['name']})"
        if obj["kind"] == "Application" and get(obj, "spec", "syncPolicy", "automated", "prune") is True:
            return f"Argo CD ({obj['metadata']['name']})"
    return None


def _delivering(side: Side) -> Iterable[Obj]:
    return (obj for objects in side.roots.values() for obj in objects if obj["kind"] in _DELIVERY)
