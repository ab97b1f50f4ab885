"""Values of a chart that come from several places, laid over each other as Helm does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from compiler.check.chartvalues import merged
from compiler.check.scene import Route
from compiler.diagnostics import Place
from compiler.lint.document import Document
from compiler.objects import Json, Obj
from compiler.yaml.readback import plain_value


class Layer(Protocol):
    """Values from one place."""

    @property
    def data(self) -> Obj:
        """The values."""

    def depth(self, route: Route) -> int:
        """Return how many segments of a route there are values for."""

    def place(self, route: Route, *, key: bool) -> Place:
        """Return the line of the value at a route, or of its key."""


@dataclass(frozen=True)
class Written:
    """Values that stand as YAML in a document, below a route."""

    document: Document
    base: Route = ()

    @property
    def data(self) -> Obj:
        """The values."""
        value = self.document.get(*self.base)
        return value if isinstance(value, dict) else {}

    def depth(self, route: Route) -> int:
        """Return how many segments of a route there are values for."""
        known = range(len(route), 0, -1)
        return next((count for count in known if self.document.has((*self.base, *route[:count]))), 0)

    def place(self, route: Route, *, key: bool) -> Place:
        """Return the line of the value at a route, or of its key."""
        return self.document.place((*self.base, *route), key=key)


@dataclass(frozen=True)
class Parameters:
    """Values that are set one by one by their path, as by `helm --set` and Argo CD's `parameters`."""

    places: Mapping[Route, Place]
    data: Obj

    def depth(self, route: Route) -> int:
        """Return how many segments of a route there are values for."""
        known = range(len(route), 0, -1)
        return next((count for count in known if any(path[:count] == route[:count] for path in self.places)), 0)

    def place(self, route: Route, *, key: bool) -> Place:  # noqa: ARG002 -- a parameter has one place
        """Return the line of the parameter that sets the value at a route."""
        deepest = max(self.places, key=lambda path: _common(path, route))
        return self.places[deepest]


def _common(one: Route, two: Route) -> int:
    return next((index for index, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))


def parameters(settings: Sequence[tuple[str, Json, bool, Place]]) -> Parameters:
    """Return values from paths such as `gfd.enabled`: path, value, whether it is text whatever it looks like, place.

    Only plain paths are read: those with list indexes and the like have no effect here.
    """
    data: Obj = {}
    places: dict[Route, Place] = {}
    for path, value, is_text, place in settings:
        *above, last = path.replace("\\.", "\0").split(".")
        route = tuple(part.replace("\0", ".") for part in (*above, last))
        if not all(route) or any("[" in part for part in route):
            continue
        level = data
        for part in route[:-1]:
            inner = level.get(part)
            level[part] = level = inner if isinstance(inner, dict) else {}
        level[route[-1]] = value if is_text or not isinstance(value, str) else _typed(value)
        places[route] = place
    return Parameters(places, data)


def _typed(value: str) -> Json:
    """Return what `helm --set` makes of a value: true, false, null and whole numbers are what they look like."""
    return plain_value(value) if value in {"true", "false", "null"} or value.lstrip("-").isdecimal() else value


@dataclass(frozen=True)
class Layers:
    """Layers of values, the last of which wins, and where to blame what nobody wrote."""

    layers: Sequence[Layer]
    home: Callable[[], Place] = field(repr=False)

    @property
    def data(self) -> Obj:
        """All values together; null stays, since it removes a default of the chart's."""
        result: Obj = {}
        for layer in self.layers:
            result = _overlaid(result, layer.data)
        return result

    def place(self, route: Route, /, *, key: bool = False) -> Place:
        """Return the line of the value at a route, or the nearest around it; that of the chart where there is none."""
        if not route:
            return self.home()
        depths = [layer.depth(route) for layer in self.layers]
        deepest = max(depths, default=0)
        if deepest == 0:
            return self.home()
        layer = self.layers[len(depths) - 1 - depths[::-1].index(deepest)]
        return layer.place(route, key=key)


def _overlaid(one: Obj, two: Obj) -> Obj:
    nulls = {key: None for key, value in two.items() if value is None}
    result = merged(one, {key: value for key, value in two.items() if value is not None})
    return {**result, **nulls}
