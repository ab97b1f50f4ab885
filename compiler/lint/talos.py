"""Finds Talos machine configuration, patches of it and image schematics among documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import dirname

from compiler.check.objects.plain import items, text
from compiler.check.rules.talos_files import CONTAINERD
from compiler.check.scene import Route
from compiler.check.talosfile import Entry, Piece, Schematic, TalosFile, labels, modules, registered_taints, taints
from compiler.lint.document import Document
from compiler.lint.nodes import EFFECTS, plain_taint
from compiler.model.kube import Taint
from compiler.objects import Json

_API = "v1alpha1"


def piece(document: Document) -> Piece | None:
    """Return a document as Talos configuration, or None where it is something else."""
    data = document.data
    if not isinstance(data, dict):
        return None
    if data.get("apiVersion") == _API and isinstance(data.get("kind"), str):
        return Piece(data, document.place, text(data.get("kind")))
    if "apiVersion" not in data and "kind" not in data and _has_machine(data):
        return Piece(data, document.place)
    return None


def _has_machine(data: dict[str, Json]) -> bool:
    return isinstance(data.get("machine"), dict) or (
        isinstance(data.get("cluster"), dict) and data.get("version") in (None, _API) and len(data) <= _FEW
    )


_FEW = 4


def schematics(document: Document) -> Iterator[Schematic]:
    """Yield the lists of system extensions in a document, wherever in it they stand."""
    for route, value in document.walk():
        if isinstance(value, dict) and isinstance(value.get("officialExtensions"), list):
            yield Schematic(tuple(_extensions(document, (*route, "officialExtensions"))))
    listed = document.get("machine", "install", "extensions")
    if isinstance(listed, list):
        above: Route = ("machine", "install", "extensions")
        yield Schematic(
            tuple(
                Entry(image.rpartition("/")[2].partition(":")[0], "", document.place((*above, index, "image")))
                for index, item in items(listed)
                if isinstance(image := item.get("image"), str)
            )
        )


def _extensions(document: Document, above: Route) -> Iterator[Entry]:
    for index, item in enumerate(document.get(*above)):
        if isinstance(item, str):
            yield Entry(item, "", document.place((*above, index)))


def talos_files(documents: Sequence[Document], version: tuple[int, int] | None) -> list[TalosFile]:
    """Return the files of Talos configuration, each with what stands beside it in its folder."""
    pieces: dict[str, list[Piece]] = {}
    images: dict[str, list[Schematic]] = {}
    for document in documents:
        found = piece(document)
        if found is not None:
            pieces.setdefault(document.path, []).append(found)
        if "officialExtensions" in "".join(document.lines[document.first - 1 : document.last]) or found is not None:
            images.setdefault(document.path, []).extend(schematics(document))
    paths = [path for path in dict.fromkeys((*pieces, *images)) if pieces.get(path) or images.get(path)]
    folders: dict[str, list[str]] = {}
    for path in paths:
        folders.setdefault(dirname(path), []).append(path)
    return [
        TalosFile(
            path,
            tuple(pieces.get(path, ())),
            tuple(item for other in folders[dirname(path)] if other != path for item in pieces.get(other, ())),
            tuple(images.get(path, ())),
            version,
        )
        for path in paths
    ]


def gpu_taints(files: Sequence[TalosFile]) -> tuple[Taint, ...]:
    """Return the taints of the machines that load NVIDIA's modules."""
    found: dict[Taint, None] = {}
    for file in files:
        if any(entry.name == "nvidia" for entry in modules(file.pieces)):
            for part in file.pieces:
                for entry in (*taints(part), *registered_taints(part)):
                    value, _, effect = entry.value.rpartition(":")
                    taint = plain_taint({"key": entry.name, "value": value, "effect": effect})
                    if taint is not None and effect in EFFECTS:
                        found[taint] = None
    return tuple(found)


def node_labels(files: Sequence[TalosFile]) -> frozenset[str]:
    """Return the labels that machines give their nodes."""
    return frozenset(entry.name for file in files for part in file.pieces for entry in labels(part))


def default_runtime(files: Sequence[TalosFile]) -> bool:
    """Return whether a machine makes NVIDIA's runtime containerd's default one."""
    for file in files:
        for part in file.pieces:
            for _, item in items(part.at("machine", "files")):
                content = text(item.get("content"))
                if item.get("path") == CONTAINERD and "default_runtime_name" in content and "nvidia" in content:
                    return True
    return False
