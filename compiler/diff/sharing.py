"""What a change does to the slices of cards, as the device plugin's configuration says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from compiler.diff.compare import Change
from compiler.diff.effect import Effect, get, items
from compiler.objects import Obj
from compiler.yaml.readback import UnreadableError, load_all

_CONFIG = "nvidia-device-plugin-config-"
_PENDING = "pods beyond that stay Pending, running ones go on"


class _Shared(NamedTuple):
    strategy: str
    replicas: dict[str, int]
    renamed: bool


def sharing_effects(changes: Sequence[Change]) -> Iterator[Effect]:
    """Yield slices before and after: of each node where the tree says so for Flux's gate, else of each card."""
    nodes = list(_of_nodes(changes))
    yield from nodes
    for change in changes:
        if change.id.kind != "ConfigMap" or change.kind != "changed":
            continue
        before, after = _sharing(change.old), _sharing(change.new)
        if before is None or after is None:
            continue
        pool = change.id.name.removeprefix(_CONFIG)
        if before.strategy != after.strategy:
            yield Effect("note", f"sharing on {pool}: {before.strategy} before, {after.strategy} after")
        for resource in sorted(before.replicas.keys() | after.replicas.keys()):
            was, now = before.replicas.get(resource, 1), after.replicas.get(resource, 1)
            if was != now and not nodes:
                fewer = f"; {_PENDING}" if now < was else ""
                yield Effect("note", f"slices of each {resource} on {pool}: {was} before, {now} after{fewer}")
        if before.renamed != after.renamed:
            old, new = (
                "nvidia.com/gpu" + (".shared" if shared.renamed and shared.replicas else "")
                for shared in (before, after)
            )
            yield Effect(
                "interrupts", f"{pool} advertises {new} instead of {old}: pods that ask for the old name stay Pending"
            )


def _of_nodes(changes: Sequence[Change]) -> Iterator[Effect]:
    """Yield what nodes advertise, from the ConfigMap on which `compiler.delivery.flux` rolls its gate."""
    for change in changes:
        if change.id.kind == "ConfigMap" and change.root.endswith("/gate") and change.kind == "changed":
            before, after = get(change.old, "data") or {}, get(change.new, "data") or {}
            for node in sorted(before.keys() | after.keys()):
                was, now = before.get(node, "nothing"), after.get(node, "nothing")
                if was != now:
                    yield Effect("note", f"slices of {node}: {was} before, {now} after")


def _sharing(obj: Obj | None) -> _Shared | None:
    """Return what a plugin's configuration says of sharing, or None where the object is none."""
    text = get(obj, "data", "config.yaml")
    if not isinstance(text, str):
        return None
    try:
        documents = load_all(text)
    except UnreadableError:
        return None
    if len(documents) != 1 or not isinstance(documents[0], dict) or documents[0].get("version") != "v1":
        return None
    for key, strategy in (("mps", "MPS"), ("timeSlicing", "time-slicing")):
        shared = get(documents[0], "sharing", key)
        found = {
            str(item.get("name")): item["replicas"]
            for item in items(shared, "resources")
            if isinstance(item.get("replicas"), int)
        }
        if found:
            return _Shared(strategy, found, get(shared, "renameByDefault") is True)
    return _Shared("none", {}, renamed=False)
