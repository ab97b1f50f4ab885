"""What is known of a cluster's GPU nodes: from arguments, from saved objects, from what the files themselves say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from pydantic import ValidationError

from compiler.check.objects.plain import items, mapping, text, texts
from compiler.check.objects.programs import Program, running
from compiler.check.scene import NodeFacts, Scene
from compiler.diagnostics import Place
from compiler.lint.document import Document
from compiler.model.kube import Taint
from compiler.objects import Obj

EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_NODE_FORM: Final = "NAME:TAINT,LABEL, such as gpu-1:dedicated=ai:NoSchedule,nvidia.com/gpu.present=true"
_TALOS: Final = re.compile(r"v?(\d{1,3})\.(\d{1,3})(\.\d{1,3})?([-+][0-9A-Za-z.+-]{1,60})?")
_OS_IMAGE: Final = re.compile(r"Talos \(v(\d{1,3})\.(\d{1,3})\..*")
# Taints that come and go with a node's health.
_PASSING: Final = "node.kubernetes.io/"
_CONTROL_PLANE: Final = "node-role.kubernetes.io/control-plane"
_SIGNS: Final = re.compile(r"nvidia\.com/.*|feature\.node\.kubernetes\.io/pci-.*10de.*|extensions\.talos\.dev/nvidia.*")
# What the charts tolerate by themselves says nothing about anybody's nodes.
_BY_CHARTS: Final = frozenset(
    {
        "CriticalAddonsOnly",
        "nvidia.com/gpu",
        "node-role.kubernetes.io/master",
        _CONTROL_PLANE,
    }
)


class BadArgumentError(ValueError):
    """An argument of the command line is not what it should be."""


def talos_version(given: str) -> tuple[int, int]:
    """Return major and minor of a Talos release such as v1.13.3. Raises BadArgumentError."""
    match = _TALOS.fullmatch(given)
    if not match:
        raise BadArgumentError(f"{given} is no release of Talos; write it like v1.13.3")
    return int(match[1]), int(match[2])


def node_argument(given: str, talos: tuple[int, int] | None) -> NodeFacts:
    """Return the node that `--node NAME:TAINT,LABEL=VALUE` describes. Raises BadArgumentError."""
    name, _, rest = given.partition(":")
    taints: list[Taint] = []
    labels: dict[str, str] = {}
    for part in (part.strip() for part in rest.split(",")):
        before, colon, effect = part.rpartition(":")
        key, equals, value = (before if colon else part).partition("=")
        if not part:
            continue
        if colon:
            taints.append(_taint(key, value, effect))
        elif equals and key:
            labels[key] = value
        else:
            raise BadArgumentError(f"{part} is neither a taint nor a label; write {_NODE_FORM}")
    if not name:
        raise BadArgumentError(f"{given} has no name; write {_NODE_FORM}")
    return NodeFacts(name, (name,), labels, tuple(taints), talos)


def _taint(key: str, value: str, effect: str) -> Taint:
    try:
        return Taint.model_validate({"key": key, "value": value, "effect": effect})
    except ValidationError:
        message = f"{key}={value}:{effect} is no taint: effects are {', '.join(EFFECTS)}; write {_NODE_FORM}"
        raise BadArgumentError(message) from None


def saved_nodes(documents: Iterable[Document], talos: tuple[int, int] | None) -> tuple[list[NodeFacts], str]:
    """Return the GPU nodes among saved `kubectl get nodes -o json`, each a pool, and what had to be assumed.

    Where no node shows a sign of NVIDIA's, all but the control plane are taken.
    """
    found = [
        (document, route, obj)
        for document in documents
        for route, obj in _objects(document)
        if obj.get("kind") == "Node" and text(mapping(obj.get("metadata")).get("name"))
    ]
    cards = [item for item in found if _has_card(item[2])]
    others = [item for item in found if _CONTROL_PLANE not in mapping(mapping(item[2].get("metadata")).get("labels"))]
    chosen = cards or others or found
    assumed = "" if cards or not found else f"no saved node shows an NVIDIA card: {len(chosen)} are taken for GPU nodes"
    return [
        _saved(document.place((*route, "metadata", "name")), obj, talos) for document, route, obj in chosen
    ], assumed


def _objects(document: Document) -> Iterator[tuple[tuple[str | int, ...], Obj]]:
    if isinstance(document.get("items"), list):
        yield from ((("items", index), item) for index, item in items(document.get("items")))
    elif isinstance(document.data, dict):
        yield (), document.data


def _has_card(node: Obj) -> bool:
    labels = mapping(mapping(node.get("metadata")).get("labels"))
    return any(
        _SIGNS.fullmatch(str(name)) for name in (*labels, *mapping(mapping(node.get("status")).get("allocatable")))
    )


def _saved(place: Place, node: Obj, talos: tuple[int, int] | None) -> NodeFacts:
    metadata = mapping(node.get("metadata"))
    taints = [
        taint
        for _, item in items(mapping(node.get("spec")).get("taints"))
        if not text(item.get("key")).startswith(_PASSING) and (taint := plain_taint(item)) is not None
    ]
    image = _OS_IMAGE.match(text(mapping(mapping(node.get("status")).get("nodeInfo")).get("osImage")))
    name = text(metadata.get("name"))
    release = (int(image[1]), int(image[2])) if image else talos
    return NodeFacts(name, (name,), texts(metadata.get("labels")), tuple(taints), release, place=place)


def plain_taint(item: Obj) -> Taint | None:
    """Return a taint from plain data, or None where it is none."""
    try:
        data = {"key": item.get("key"), "value": str(item.get("value") or ""), "effect": item.get("effect")}
        return Taint.model_validate(data)
    except ValidationError:
        return None


def tolerated_taints(scene: Scene) -> tuple[Taint, ...]:
    """Return the taints that GPU nodes most likely have, since the device plugin or the exporter tolerates them.

    A toleration that somebody wrote, and that no chart has by itself, is there because of a taint.
    """
    found: dict[Taint, None] = {}
    for item in running(scene, Program.PLUGIN, Program.EXPORTER, Program.GFD):
        for _, toleration in items(item.pod.spec.get("tolerations")):
            key = text(toleration.get("key"))
            if not key or key in _BY_CHARTS or key.startswith(_PASSING):
                continue
            taint = plain_taint({**toleration, "effect": toleration.get("effect") or "NoSchedule"})
            if taint is not None and toleration.get("operator") != "Exists":
                found[taint] = None
    return tuple(found)
