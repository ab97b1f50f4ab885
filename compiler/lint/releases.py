"""Finds who installs one of the three charts, and with which values: Flux, Argo CD, kustomize, k3s, Helmfile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from posixpath import basename, dirname, normpath

from compiler.check.chartvalues import ChartValues, Inflation
from compiler.check.objects.plain import items, mapping, strings, text
from compiler.check.scene import Route
from compiler.lint.charts import NAMES, chart
from compiler.lint.document import Document
from compiler.lint.layers import Layer, Layers, Written, parameters
from compiler.objects import Json, Obj

_OPERATOR = "gpu-operator"
_KUSTOMIZE_FILES = ("kustomization.yaml", "kustomization.yml")


@dataclass
class Library:
    """Everything that was read, for what refers to something else by name or path.

    `taken` are the files whose values belong to a release that names them.
    """

    documents: list[Document]
    by_name: dict[tuple[str, str], Document] = field(default_factory=dict)
    by_path: dict[str, Document] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Index the documents."""
        for document in self.documents:
            self.by_path.setdefault(normpath(document.path), document)
            kind, name = text(document.get("kind")), text(document.get("metadata", "name"))
            if kind and name:
                self.by_name.setdefault((kind, name), document)


def releases(document: Document, library: Library) -> Iterator[ChartValues]:
    """Yield the installations of the three charts that a document asks for."""
    kind, api = text(document.get("kind")), text(document.get("apiVersion"))
    if kind == "HelmRelease" and api.startswith("helm.toolkit.fluxcd.io/"):
        yield from _flux(document, library)
    elif kind in {"Application", "ApplicationSet"} and api.startswith("argoproj.io/"):
        yield from _argo(document, ("spec",) if kind == "Application" else ("spec", "template", "spec"))
    elif kind == "HelmChart" and api.startswith("helm.cattle.io/"):
        yield from _k3s(document)
    elif kind in {"HelmChartInflationGenerator", "HelmChartInflation"}:
        yield from _inflated(document, (), library)
    elif _is_kustomization(document):
        for index, _ in items(document.get("helmCharts")):
            yield from _inflated(document, ("helmCharts", index), library)
    elif isinstance(document.get("releases"), list) and not kind:
        yield from _helmfile(document, library)


def brings_operator(document: Document) -> bool:
    """Return whether a document installs the GPU Operator, which brings labels, a RuntimeClass and NFD of its own."""
    homes: tuple[Route, ...] = (
        ("spec", "chart", "spec", "chart"),
        ("spec", "chart"),
        ("spec", "source", "chart"),
        ("spec", "chartRef", "name"),
    )
    named = [document.get(*home) for home in homes]
    named += [item.get("chart") for _, item in items(document.get("spec", "sources"))]
    named += [item.get("name") for _, item in items(document.get("helmCharts"))]
    return any(isinstance(name, str) and basename(name) == _OPERATOR for name in named)


def is_known(name: Json) -> str | None:
    """Return the chart that a name, path or URL ends in."""
    last = basename(str(name).rstrip("/")).partition("@")[0].partition(":")[0] if isinstance(name, str) else ""
    return last if last in NAMES else None


def _is_kustomization(document: Document) -> bool:
    return text(document.get("kind")) in {"Kustomization", "Component"} or basename(document.path) in _KUSTOMIZE_FILES


def _flux(document: Document, library: Library) -> Iterator[ChartValues]:
    home: Route = ("spec", "chart", "spec", "chart")
    name = is_known(document.get(*home))
    version = document.get("spec", "chart", "spec", "version")
    if document.get("spec", "chartRef") is not None:
        home = ("spec", "chartRef", "name")
        source = library.by_name.get((text(document.get("spec", "chartRef", "kind")), text(document.get(*home))))
        name = is_known(document.get(*home)) or is_known(document.get("metadata", "name"))
        if source is not None:
            name = is_known(source.get("spec", "chart")) or is_known(source.get("spec", "url")) or name
            version = source.get("spec", "ref", "tag") or source.get("spec", "version")
    if name is None:
        return
    layers: list[Layer] = []
    partial_ = bool(document.get("spec", "postRenderers"))
    for _, item in items(document.get("spec", "valuesFrom")):
        known = library.by_name.get(("ConfigMap", text(item.get("name")))) if item.get("kind") == "ConfigMap" else None
        inner = known.embedded(("data", text(item.get("valuesKey")) or "values.yaml")) if known else None
        if inner is None or item.get("targetPath"):
            partial_ = True
        else:
            layers.append(Written(inner))
    layers.append(Written(document, ("spec", "values")))
    namespace = text(document.get("spec", "targetNamespace")) or text(document.get("metadata", "namespace"))
    yield _values(
        name,
        Layers(layers, partial(document.place, home)),
        _About(
            f"HelmRelease {document.get('metadata', 'name')}",
            release=text(document.get("spec", "releaseName")) or text(document.get("metadata", "name")),
            namespace=namespace,
            version=version,
            partial=partial_,
        ),
    )


def _argo(document: Document, spec: Route) -> Iterator[ChartValues]:
    sources: list[Route] = [(*spec, "source")]
    sources += [(*spec, "sources", index) for index, _ in items(document.get(*spec, "sources"))]
    for source in sources:
        home = (*source, "chart") if document.has((*source, "chart")) else (*source, "path")
        name = is_known(document.get(*home)) or is_known(document.get(*source, "repoURL"))
        if name is None:
            continue
        helm = (*source, "helm")
        layers: list[Layer] = []
        inner = document.embedded((*helm, "values"))
        if inner is not None:
            layers.append(Written(inner))
        layers.append(Written(document, (*helm, "valuesObject")))
        settings = [
            (text(item.get("name")), item.get("value"), item.get("forceString") is True, document.place(route))
            for index, item in items(document.get(*helm, "parameters"))
            for route in [(*helm, "parameters", index, "name")]
        ]
        if settings:
            layers.append(parameters(settings))
        yield _values(
            name,
            Layers(layers, partial(document.place, home)),
            _About(
                f"{document.get('kind')} {document.get('metadata', 'name')}",
                release=text(document.get(*helm, "releaseName")) or text(document.get("metadata", "name")),
                namespace=text(document.get(*spec, "destination", "namespace")),
                version=document.get(*source, "targetRevision"),
                partial=bool(document.get(*helm, "valueFiles") or document.get(*helm, "fileParameters")),
            ),
        )


def _k3s(document: Document) -> Iterator[ChartValues]:
    name = is_known(document.get("spec", "chart"))
    if name is None:
        return
    layers: list[Layer] = []
    inner = document.embedded(("spec", "valuesContent"))
    if inner is not None:
        layers.append(Written(inner))
    settings = [
        (str(path), value, False, document.place(("spec", "set", path), key=True))
        for path, value in mapping(document.get("spec", "set")).items()
    ]
    if settings:
        layers.append(parameters(settings))
    yield _values(
        name,
        Layers(layers, partial(document.place, ("spec", "chart"))),
        _About(
            f"HelmChart {document.get('metadata', 'name')}",
            release=text(document.get("metadata", "name")),
            namespace=text(document.get("spec", "targetNamespace")) or text(document.get("metadata", "namespace")),
            version=document.get("spec", "version"),
        ),
    )


def _inflated(document: Document, base: Route, library: Library) -> Iterator[ChartValues]:
    name = is_known(document.get(*base, "name")) or is_known(document.get(*base, "chartName"))
    if name is None:
        return
    entry = mapping(document.get(*base) if base else document.data)
    layers: list[Layer] = []
    partial_ = False
    for path in [entry.get("valuesFile") or entry.get("values"), *strings(entry.get("additionalValuesFiles"))]:
        if isinstance(path, str):
            found = library.by_path.get(
                normpath(f"{dirname(document.path)}/{path}" if dirname(document.path) else path)
            )
            partial_ = partial_ or found is None
            if found is not None:
                library.taken.add(found.path)
                layers.append(Written(found))
    layers.append(Written(document, (*base, "valuesInline")))
    home = (*base, "name") if document.has((*base, "name")) else (*base, "chartName")
    place = document.place(home)
    yield _values(
        name,
        Layers(layers, partial(document.place, home)),
        _About(
            f"chart {name}",
            release=text(entry.get("releaseName")) or name,
            namespace=text(entry.get("namespace")) or text(document.get("namespace")),
            version=entry.get("version"),
            partial=partial_,
            inflation=Inflation(entry.get("includeCRDs") is True, entry.get("skipHooks") is True, place),
        ),
    )


def _helmfile(document: Document, library: Library) -> Iterator[ChartValues]:
    for index, entry in items(document.get("releases")):
        name = is_known(entry.get("chart"))
        if name is None:
            continue
        layers: list[Layer] = []
        partial_ = False
        given = entry.get("values")
        for number, item in enumerate(given if isinstance(given, list) else []):
            if isinstance(item, dict):
                layers.append(Written(document, ("releases", index, "values", number)))
                continue
            folder = dirname(document.path)
            found = library.by_path.get(normpath(f"{folder}/{item}" if folder else str(item)))
            partial_ = partial_ or found is None
            if found is not None:
                library.taken.add(found.path)
                layers.append(Written(found))
        yield _values(
            name,
            Layers(layers, partial(document.place, ("releases", index, "chart"))),
            _About(
                f"release {entry.get('name')}",
                release=text(entry.get("name")),
                namespace=text(entry.get("namespace")),
                version=entry.get("version"),
                partial=partial_,
            ),
        )


@dataclass(frozen=True)
class _About:
    """What is known of an installation besides its values."""

    what: str
    release: str = ""
    namespace: str = ""
    version: Json = None
    partial: bool = False
    inflation: Inflation | None = None


def _values(name: str, layers: Layers, about: _About) -> ChartValues:
    version = about.version
    return ChartValues(
        chart(name),
        layers.data,
        layers.place,
        about.what,
        about.release or name,
        about.namespace,
        str(version) if isinstance(version, str | int | float) and str(version) not in {"", "*"} else None,
        about.partial,
        about.inflation,
    )


def bare_values(document: Document, wanted: str | None) -> ChartValues | None:
    """Return a document as values of a chart: of `wanted`, or of the one that name and keys tell; else None."""
    if not isinstance(document.data, dict) or "apiVersion" in document.data or "kind" in document.data:
        return None
    name = wanted or _guessed(document.path, document.data)
    if name is None:
        return None
    layers = Layers([Written(document)], partial(document.place, ()))
    return _values(name, layers, _About(f"values of {name}"))


def nested_values(document: Document) -> Iterator[ChartValues]:
    """Yield the values that a chart of somebody's own hands to one of the three as its dependency."""
    if not isinstance(document.data, dict) or "apiVersion" in document.data:
        return
    for name in NAMES:
        if isinstance(document.data.get(name), dict):
            layers = Layers([Written(document, (name,))], partial(document.place, (name,), key=True))
            yield _values(name, layers, _About(f"values of {name}"))


_DISTINCT: Mapping[str, frozenset[str]] = {
    "nvidia-device-plugin": frozenset(
        {
            "compatWithCPUManager",
            "deviceDiscoveryStrategy",
            "deviceIDStrategy",
            "deviceListStrategy",
            "devicePlugin",
            "failOnInitError",
            "gfd",
            "migStrategy",
            "mps",
            "nvidiaDriverRoot",
        }
    ),
    "node-feature-discovery": frozenset({"topologyUpdater", "postDeleteCleanup", "worker", "master", "gc"}),
    "dcgm-exporter": frozenset({"kubeletPath", "extraConfigMapVolumes", "extraHostVolumes", "kubernetesDRA"}),
}
_IN_PATHS = {
    "nvidia-device-plugin": "nvidia-device-plugin",
    "device-plugin": "nvidia-device-plugin",
    "node-feature-discovery": "node-feature-discovery",
    "nfd": "node-feature-discovery",
    "dcgm-exporter": "dcgm-exporter",
    "dcgm": "dcgm-exporter",
}
_WORKER_AND_MASTER = 2


def _guessed(path: str, data: Obj) -> str | None:
    scores = {name: len(keys & set(data)) for name, keys in _DISTINCT.items()}
    config = data.get("config")
    if isinstance(config, dict) and isinstance(config.get("map"), dict):
        scores["nvidia-device-plugin"] += 1
    if "gfd" in data and "operator" in data:
        return None  # values of the GPU Operator
    scores["node-feature-discovery"] -= 1  # worker or master alone may be anybody's
    parts = [part.rpartition(".")[0] or part for part in path.lower().split("/")]
    for words, name in _IN_PATHS.items():
        if any(words in part for part in parts[-2:]) and _is_like(name, data):
            return name
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] > 0 else None


def _is_like(name: str, data: Obj) -> bool:
    """Return whether at least one key of a mapping is the chart's, or is often taken for one of its."""
    known = chart(name)
    tops = {path.partition(".")[0] for path in (*known.keys, *known.meant, *known.closed, *known.subcharts)}
    return bool(tops & set(data))
