"""Makes objects whose fields know the values behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from compiler.check.chartvalues import ChartValues
from compiler.check.scene import Located, Route
from compiler.diagnostics import Place
from compiler.objects import Json, Obj

UNKNOWN_NAMESPACE: Final = "the-release-namespace"
"""Stands for the namespace of a release where nobody says which."""
POD: Final[Route] = ("spec", "template", "spec")


@dataclass(frozen=True)
class Traced:
    """Finds the value behind a field: the longest known route that leads to it decides."""

    values: ChartValues
    routes: Sequence[tuple[Route, Route]] = field(default_factory=list)

    def place(self, route: Route, /, *, key: bool = False) -> Place:
        """Return the line of the value behind a field."""
        best: tuple[Route, Route] | None = None
        for theirs, ours in self.routes:
            if route[: len(theirs)] == theirs and (best is None or len(theirs) > len(best[0])):
                best = (theirs, ours)
        if best is None:
            return self.values.place(())
        return self.values.place((*best[1], *route[len(best[0]) :]), key=key)


def made(values: ChartValues, obj: Obj, routes: Sequence[tuple[Route, Route]] = ()) -> Located:
    """Return an object with the values behind its fields: pairs of a field's route and a value's."""
    return Located(obj, Traced(values, routes).place, traced=True)


def namespace_of(values: ChartValues) -> str:
    """Return the namespace that a release's objects are in."""
    own = values.set("namespaceOverride")
    return own if isinstance(own, str) and own else values.namespace or UNKNOWN_NAMESPACE


def meta(values: ChartValues, name: str, labels: Obj | None = None) -> Obj:
    """Return an object's metadata."""
    return {"name": name, "namespace": namespace_of(values), **({"labels": labels} if labels else {})}


def labels_of(values: ChartValues, component: str) -> Obj:
    """Return labels that tell a workload of a release from its others."""
    return {
        "app.kubernetes.io/name": values.chart.name,
        "app.kubernetes.io/instance": values.release,
        "app.kubernetes.io/component": component,
    }


def account(values: ChartValues, name: str) -> Located:
    """Return a ServiceAccount."""
    return made(values, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta(values, name)})


def workload(kind: str, metadata: Obj, labels: Obj, spec: Obj, annotations: Json = None) -> Obj:
    """Return a DaemonSet or Deployment."""
    notes = {"checksum/config": "of-the-release", **(annotations if isinstance(annotations, dict) else {})}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": metadata,
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels, "annotations": notes},
                "spec": {key: value for key, value in spec.items() if value not in (None, "", [], {})},
            },
        },
    }


def env(settings: Sequence[tuple[str, Json, Route]], above: Route) -> tuple[list[Json], list[tuple[Route, Route]]]:
    """Return a container's variables, and the values behind them; `above` leads to the container's `env`."""
    variables: list[Json] = [{"name": name, "value": value} for name, value, _ in settings]
    return variables, [((*above, index), route) for index, (_, _, route) in enumerate(settings) if route]
