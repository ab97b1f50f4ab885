"""The files that are imported: which charts' values are in them, and what stands beside the values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from compiler.check.chartvalues import ChartValues
from compiler.diagnostics import Diagnostic, Place
from compiler.lint.charts import NAMES
from compiler.lint.document import Document
from compiler.lint.files import SourceFile
from compiler.lint.layers import Layer, Layers
from compiler.lint.reading import read_text
from compiler.lint.releases import Library, bare_values, nested_values, releases
from compiler.objects import Json

NO_VALUES: Final = "GPU073"
_REST: Final = {
    "HelmRelease": (
        ("spec", "valuesFrom"),
        ("spec", "postRenderers"),
        ("spec", "dependsOn"),
        ("spec", "interval"),
        ("spec", "timeout"),
        ("spec", "install"),
        ("spec", "upgrade"),
        ("spec", "driftDetection"),
    ),
    "Application": (
        ("spec", "source", "helm", "valueFiles"),
        ("spec", "source", "helm", "fileParameters"),
        ("spec", "project"),
        ("spec", "destination", "server"),
        ("spec", "destination", "name"),
        ("spec", "syncPolicy"),
        ("spec", "ignoreDifferences"),
    ),
}


@dataclass(frozen=True)
class Source:
    """Values of a chart, with the document that they stand in."""

    values: ChartValues
    document: Document
    others: tuple[str, ...] = ()
    """Keys beside the chart's in values of somebody's own chart."""

    @property
    def kind(self) -> str:
        """What the document is: HelmRelease, Application, or empty for plain values."""
        kind = self.document.get("kind")
        return kind if isinstance(kind, str) else ""

    def overridden(self) -> list[tuple[tuple[str | int, ...], Json, Place]]:
        """Return values that another layer of the same release replaces."""
        layers = getattr(self.values.place, "__self__", None)
        if not isinstance(layers, Layers):
            return []
        found = []
        for number, layer in enumerate(layers.layers):
            above = layers.layers[number + 1 :]
            found += [
                (route, value, layer.place(route, key=True))
                for route, value in _leaves(layer)
                if any(other.depth(route) == len(route) for other in above)
            ]
        return found

    def beside(self) -> list[tuple[str, Json, Place]]:
        """Return what else the document says, which decides about the installation."""
        above: list[tuple[str | int, ...]] = [(name,) for name in self.others]
        return [
            (".".join(str(part) for part in route), value, self.document.place(route, key=True))
            for route in (*_REST.get(self.kind, ()), *above)
            if (value := self.document.get(*route)) is not None
        ]

    def unread_parameters(self) -> list[tuple[str, Json, Place]]:
        """Return Argo CD's parameters whose path leads into a list, which no reader of layers follows."""
        found = []
        given = self.document.get("spec", "source", "helm", "parameters") if self.kind == "Application" else None
        for index, item in enumerate(given if isinstance(given, list) else []):
            name = item.get("name") if isinstance(item, dict) else None
            if not isinstance(name, str) or "[" in name or not all(name.split(".")):
                route = ("spec", "source", "helm", "parameters", index)
                found.append((str(name), item, self.document.place(route)))
        return found


def _leaves(layer: Layer) -> list[tuple[tuple[str | int, ...], Json]]:
    from compiler.importer.report import leaves  # noqa: PLC0415 -- report reads nothing of this module

    return list(leaves(layer.data))


@dataclass
class Sources:
    """Everything that was read."""

    found: list[Source] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)


def read_sources(files: Sequence[SourceFile], chart: str | None) -> Sources:
    """Return the values in files; `chart` is the chart of plain values that do not tell theirs."""
    result = Sources()
    documents: list[Document] = []
    for file in files:
        read = read_text(file.text, file.name)
        result.problems += [item for item in read.problems if item.is_error]
        documents += read.documents
    library = Library(documents)
    taken: set[int] = set()
    for number, document in enumerate(documents):
        own = [Source(values, document) for values in releases(document, library)]
        if own:
            taken.add(number)
        result.found += own
    for number, document in enumerate(documents):
        if number in taken or document.path in library.taken or not isinstance(document.data, dict):
            continue
        nested = [] if chart else list(nested_values(document))
        bare = None if nested else bare_values(document, chart)
        others = tuple(str(key) for key in document.data if nested and key not in NAMES)
        for values in nested or ([bare] if bare else []):
            result.found.append(Source(values, document, others))
            others = ()
        if not nested and bare is None and "kind" not in document.data:
            message = f"{document.path} does not tell of which chart its values are"
            help_ = f"say it with --chart: {', '.join(NAMES)}"
            result.problems.append(Diagnostic(NO_VALUES, message, document.place(()), help=help_))
    if not result.found and not result.problems:
        message = f"no values of {', '.join(NAMES)} are in these files"
        help_ = "name values files, HelmReleases or Applications of these charts"
        result.problems.append(Diagnostic(NO_VALUES, message, help=help_))
    return result
