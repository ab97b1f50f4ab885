"""What kustomization files say about the manifests beside them: namespaces, patches, generated ConfigMaps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from posixpath import basename, dirname, normpath

from compiler.check.objects.plain import items, mapping, strings, text
from compiler.check.scene import Route
from compiler.lint.document import Document

_FILES = frozenset({"kustomization.yaml", "kustomization.yml", "Kustomization"})


@dataclass
class Kustomizations:
    """What kustomization files say.

    `namespaces` are by folder. `patches` are files that are patches, `patched` the kinds and names that they or inline
    patches change. `generated` are kinds and names of what kustomize generates.
    """

    namespaces: dict[str, str] = field(default_factory=dict)
    patches: set[str] = field(default_factory=set)
    patched: set[tuple[str, str]] = field(default_factory=set)
    generated: set[tuple[str, str]] = field(default_factory=set)

    def namespace_for(self, path: str) -> str:
        """Return the namespace that kustomize or Flux gives to the objects of a file; empty where it leaves them."""
        folder = dirname(path)
        while True:
            if self.namespaces.get(folder):
                return self.namespaces[folder]
            if not folder or folder == dirname(folder):
                return ""
            folder = dirname(folder)


def is_kustomization(document: Document) -> bool:
    """Return whether a document is kustomize's own file, not an object."""
    api = text(document.get("apiVersion"))
    if api.startswith("kustomize.config.k8s.io/") or document.get("kind") == "HelmChartInflationGenerator":
        return True
    return basename(document.path) in _FILES and not api


def kustomizations(documents: Iterable[Document]) -> Kustomizations:
    """Return what all kustomization files among some documents say together."""
    found = Kustomizations()
    known = {normpath(document.path): document for document in documents}
    for document in documents:
        if is_kustomization(document):
            _read(document, found, known)
        elif text(document.get("apiVersion")).startswith("kustomize.toolkit.fluxcd.io/"):
            _flux(document, found)
    return found


def _read(document: Document, found: Kustomizations, known: dict[str, Document]) -> None:
    folder = dirname(document.path)
    if isinstance(document.get("namespace"), str):
        found.namespaces[folder] = text(document.get("namespace"))
    paths = strings(document.get("patchesStrategicMerge"))
    for kind in ("patches", "patchesJson6902"):
        for index, item in items(document.get(kind)):
            paths += [text(item.get("path"))]
            target = mapping(item.get("target"))
            found.patched.add((text(target.get("kind")), text(target.get("name"))))
            _note(document.embedded((kind, index, "patch")), (), found)
    for path in paths:
        if path:
            full = normpath(f"{folder}/{path}" if folder else path)
            found.patches.add(full)
            _note(known.get(full), (), found)
    for kind, maker in (("ConfigMap", "configMapGenerator"), ("Secret", "secretGenerator")):
        for _, item in items(document.get(maker)):
            found.generated.add((kind, text(item.get("name"))))


def _note(patch: Document | None, route: Route, found: Kustomizations) -> None:
    if patch is not None and isinstance(patch.data, dict):
        found.patched.add((text(patch.get(*route, "kind")), text(patch.get(*route, "metadata", "name"))))


def _flux(document: Document, found: Kustomizations) -> None:
    target, path = text(document.get("spec", "targetNamespace")), text(document.get("spec", "path"))
    if target and path:
        found.namespaces[normpath(path.removeprefix("./"))] = target
    for index, item in items(document.get("spec", "patches")):
        goal = mapping(item.get("target"))
        found.patched.add((text(goal.get("kind")), text(goal.get("name"))))
        _note(document.embedded(("spec", "patches", index, "patch")), (), found)
