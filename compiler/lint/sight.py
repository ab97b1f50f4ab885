"""Sorts what was read into what rules can look at: objects, chart values, configurations, Talos files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from posixpath import normpath
from typing import Final

from compiler.check.chartvalues import ChartValues
from compiler.check.objects.plain import text
from compiler.check.pluginconfig import PluginConfig, read_config
from compiler.check.scene import Located, Route
from compiler.check.talosfile import TalosFile
from compiler.diagnostics import Diagnostic, Place, Severity
from compiler.lint.document import Document
from compiler.lint.files import Found, SourceFile
from compiler.lint.kustomizations import Kustomizations, is_kustomization, kustomizations
from compiler.lint.reading import read_text
from compiler.lint.releases import Library, bare_values, brings_operator, nested_values, releases
from compiler.lint.talos import piece, talos_files
from compiler.objects import Json, Obj

_ABOUT_GPUS: Final = re.compile(r"nvidia|gpu|node-feature-discovery|\bnfd\b|dcgm|10de|cuda", re.IGNORECASE)
_TEMPLATE: Final = re.compile(r"\{\{")
_CONFIG_KEYS: Final = frozenset({"version", "flags", "resources", "sharing", "imex"})
_OWN_API: Final = "gpuc/"


@dataclass
class Sight:
    """Everything that rules look at, and what has to be said about it.

    `operator` is True where the GPU Operator is installed too. `named` are the files that the user named one by one;
    nothing in them is passed over as somebody else's business.
    `unsure` are the documents whose objects a patch changes, by file and first line.
    """

    objects: list[Located] = field(default_factory=list)
    charts: list[ChartValues] = field(default_factory=list)
    configs: list[PluginConfig] = field(default_factory=list)
    talos: list[TalosFile] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    unsure: set[tuple[str, int]] = field(default_factory=set)
    kustomize: Kustomizations = field(default_factory=Kustomizations)
    operator: bool = False
    files: int = 0
    named: set[str] = field(default_factory=set)

    @property
    def looked_at(self) -> bool:
        """True where there is something that rules can look at."""
        return bool(self.objects or self.charts or self.configs or self.talos)

    def about_gpus(self, place: Place) -> bool:
        """Return whether a place is in a document that has to do with GPUs."""
        found = self.document_at(place)
        return found is None or _is_about_gpus(found)

    def document_at(self, place: Place) -> Document | None:
        """Return the document that a place is in."""
        for document in self._by_path.get(place.path, ()):
            if document.first <= place.line <= document.last:
                return document
        return None

    def index(self) -> None:
        """Prepare for looking up places."""
        self._by_path: dict[str, list[Document]] = {}
        for document in self.documents:
            self._by_path.setdefault(document.path, []).append(document)


def look(found: Found, chart: str | None, talos: tuple[int, int] | None) -> Sight:
    """Return what files hold. `chart` is the one whose values bare files are, `talos` the release where it is known."""
    sight = Sight(problems=list(found.problems), left_out=list(found.left_out), files=len(found.files))
    sight.named = {file.name for file in found.files if file.named}
    texts: dict[str, SourceFile] = {}
    for file in found.files:
        texts[file.name] = file
        read = read_text(file.text, file.name)
        sight.documents += read.documents
        sight.problems += _problems(file, read.problems, sight)
    sight.index()
    sight.kustomize = kustomizations(sight.documents)
    library = Library(sight.documents)
    for document in sight.documents:
        sight.charts += releases(document, library)
        sight.operator = sight.operator or brings_operator(document)
    told: set[str] = set()
    for document in sight.documents:
        if document.path in library.taken or normpath(document.path) in sight.kustomize.patches:
            continue
        if why := _not_a_manifest(document):
            sight.left_out.append(f"{document.path} {why}")
            continue
        if _is_config(document):
            if document.path not in told:
                told.add(document.path)
                sight.configs.append(read_config(texts[document.path].text, document.path))
            continue
        if piece(document) is not None or is_kustomization(document):
            continue
        values = bare_values(document, chart)
        if values is not None:
            nested = [] if chart else list(nested_values(document))
            sight.charts += nested or [values]
            continue
        sight.charts += nested_values(document)
        _take_objects(document, sight)
    sight.talos = talos_files(sight.documents, talos)
    return sight


def _problems(file: SourceFile, problems: Sequence[Diagnostic], sight: Sight) -> Iterable[Diagnostic]:
    """Return what is to be said about what could not be read of a file; less where the user did not name the file."""
    if file.named or not problems:
        return problems
    if any(item.is_error for item in problems) and _TEMPLATE.search(file.text):
        sight.left_out.append(f"{file.name} is a template: lint what `helm template` prints of it")
        return []
    if not _ABOUT_GPUS.search(file.text):
        if any(item.is_error for item in problems):
            sight.left_out.append(f"{file.name} is no YAML that Kubernetes reads")
        return []
    return [replace(item, severity=Severity.WARNING) for item in problems]


def _is_about_gpus(document: Document) -> bool:
    return any(_ABOUT_GPUS.search(line) for line in document.lines[document.first - 1 : document.last])


def _is_config(document: Document) -> bool:
    data = document.data
    if not isinstance(data, dict) or "apiVersion" in data or "kind" in data:
        return False
    if data.get("version") == "v1" and {"flags", "sharing", "resources"} & set(data):
        return True
    return set(data) <= _CONFIG_KEYS and isinstance(data.get("sharing"), dict)


def _not_a_manifest(document: Document) -> str | None:
    """Say what a document is instead of something that is applied, or return None."""
    if isinstance(document.get("apiVersion"), str) and text(document.get("apiVersion")).startswith(_OWN_API):
        return "is an input of gpuc: `gpuc check` judges it"
    listed = [item for route, item in _objects((), document.data) if route]
    if listed and all(item.get("kind") == "Node" and isinstance(item.get("status"), dict) for item in listed):
        return "is what kubectl prints of nodes: it tells of them with --nodes"
    return None


def _take_objects(document: Document, sight: Sight) -> None:
    taken = False
    for route, obj in _objects((), document.data):
        made = _object(document, route, obj, sight.kustomize)
        if made is None:
            continue
        taken = True
        sight.objects.append(made)
        if (made.kind, made.name) in sight.kustomize.patched or (made.kind, "") in sight.kustomize.patched:
            sight.unsure.add((document.path, document.first))
    if not taken and isinstance(document.data, dict) and "kind" in document.data and _is_about_gpus(document):
        sight.left_out.append(f"{document.path}:{document.first} has a kind, but no apiVersion or name")


def _objects(route: Route, data: Json) -> Iterable[tuple[Route, Obj]]:
    if not isinstance(data, dict):
        return
    listed = data.get("items")
    if isinstance(listed, list) and str(data.get("kind")).endswith("List"):
        for index, item in enumerate(listed):
            if isinstance(item, dict):
                yield (*route, "items", index), item
    elif data:
        yield route, data


def _object(document: Document, route: Route, obj: Obj, kustomize: Kustomizations) -> Located | None:
    """Return an object that rules can look at; None for what is not one, such as a patch."""
    metadata = obj.get("metadata")
    if not (isinstance(obj.get("apiVersion"), str) and isinstance(obj.get("kind"), str) and isinstance(metadata, dict)):
        return None
    name = metadata.get("name") or metadata.get("generateName")
    if not isinstance(name, str) or "$patch" in obj or "$patch" in metadata:
        return None
    given = metadata.get("namespace")
    namespace = given if isinstance(given, str) else ""
    meta = {**metadata, "name": name, "namespace": namespace or kustomize.namespace_for(document.path)}
    if not meta["namespace"] or (not namespace and obj["kind"] in _NEVER_IN_A_NAMESPACE):
        del meta["namespace"]
    return Located({**obj, "metadata": meta}, partial(_below, document, route))


_NEVER_IN_A_NAMESPACE: Final = frozenset(
    {"Namespace", "Node", "ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "RuntimeClass"}
    | {"PriorityClass", "NodeFeatureRule", "PersistentVolume", "StorageClass", "DeviceClass", "ClusterPolicy"}
)


def _below(document: Document, base: Route, route: Route, /, *, key: bool = False) -> Place:
    return document.place((*base, *route), key=key)
