"""What rules on chart values read: what somebody sets, and what the chart's templates make of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from compiler.check.rule import BaseRule
from compiler.check.scene import Locator, Route
from compiler.diagnostics import Place
from compiler.objects import Json, Obj

DEVICE_PLUGIN: Final = "nvidia-device-plugin"
NFD: Final = "node-feature-discovery"
EXPORTER: Final = "dcgm-exporter"


class Key(NamedTuple):
    """What a chart wants at a key: text, boolean, number, list, mapping or any.

    `strict` is True where a template asks for exactly that type and leaves out whatever else it finds.
    """

    kind: str
    strict: bool = False


@dataclass(frozen=True)
class Chart:
    """What a chart reads, by path such as `config.default`; `version` is the release that was looked at.

    `meant` leads from paths that people write in error to those that the chart reads, `ignored` from paths that its
    values.yaml lists and no template reads. `closed` says of paths why there is no key for what they want. `subcharts`
    are other charts under the key that their values have here.
    """

    name: str
    version: str
    keys: Mapping[str, Key]
    meant: Mapping[str, str] = field(default_factory=dict)
    ignored: Mapping[str, str] = field(default_factory=dict)
    closed: Mapping[str, str] = field(default_factory=dict)
    defaults: Obj = field(default_factory=dict)
    subcharts: Mapping[str, Chart] = field(default_factory=dict)


@dataclass(frozen=True)
class Inflation:
    """How kustomize is told to render a chart: with CRDs or not, without hooks or with them as ordinary objects."""

    include_crds: bool
    skip_hooks: bool
    place: Place


@dataclass(frozen=True)
class ChartValues:
    """Values that somebody gives to a chart, and where.

    `data` are the values alone, without the chart's defaults; `what` is how messages call them. `place` finds the lines
    of them, or that of the chart's name where nobody wrote a value. `version` is the chart's where somebody says,
    `partial` is True where more values come from somewhere that was not read. `inflation` is set where kustomize
    renders the chart. `labelled` is True where something in sight chooses configurations by nodes' labels.
    """

    chart: Chart
    data: Obj
    place: Locator = field(repr=False, compare=False)
    what: str
    release: str = ""
    namespace: str = ""
    version: str | None = None
    partial: bool = False
    inflation: Inflation | None = None
    labelled: bool = False

    def set(self, *route: str) -> Json:
        """Return what somebody set at a path, or None."""
        return _at(self.data, route)

    def effective(self, *route: str) -> Json:
        """Return what the chart sees at a path: the values, laid over its defaults as Helm does it."""
        return _at(merged(self.chart.defaults, self.data), route)

    @property
    def other_release(self) -> bool:
        """True where the chart is known to be of another minor release than the one that was looked at."""
        return self.version is not None and _minor(self.version) != _minor(self.chart.version)


class ChartRule(BaseRule[ChartValues]):
    """A rule on the values of one of the three charts."""


@dataclass(frozen=True)
class Setting:
    """A key that somebody set: its route in the values, and what the chart wants there (None: it knows no such key).

    `chart` is the chart that reads it, and `path` what that chart calls it: a subchart's without the subchart's key.
    """

    chart: Chart
    path: str
    route: Route
    value: Json
    key: Key | None


def settings(values: ChartValues) -> Iterator[Setting]:
    """Yield every key that somebody set; what stands below an unknown one is left out."""
    yield from _settings(values.chart, values.data, "", ())


def _settings(chart: Chart, data: Obj, above: str, route: Route) -> Iterator[Setting]:
    for name, value in data.items():
        path = f"{above}.{name}" if above else name
        here = (*route, name)
        # Helm hands `global` to every chart; a key of this form is a place for anchors.
        if not above and (name == "global" or name.startswith(("x-", "_", "."))):
            continue
        subchart = chart.subcharts.get(name) if not above else None
        if subchart is not None and isinstance(value, dict):
            own = {key: item for key, item in value.items() if f"{path}.{key}" in chart.keys}
            yield from _settings(chart, own, path, here)
            yield from _settings(subchart, {key: item for key, item in value.items() if key not in own}, "", here)
        elif path in chart.keys:
            yield Setting(chart, path, here, value, chart.keys[path])
        elif not any(known.startswith(f"{path}.") for known in chart.keys) and subchart is None:
            yield Setting(chart, path, here, value, None)
        elif isinstance(value, dict):
            yield from _settings(chart, value, path, here)
        else:
            yield Setting(chart, path, here, value, Key("mapping"))


def merged(defaults: Obj, values: Obj) -> Obj:
    """Return values laid over defaults as Helm does it: mappings are merged, null removes, the rest replaces."""
    result = dict(defaults)
    for key, value in values.items():
        old = result.get(key)
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(old, dict):
            result[key] = merged(old, value)
        else:
            result[key] = value
    return result


def _at(value: Json, route: tuple[str, ...]) -> Json:
    for segment in route:
        if not isinstance(value, dict):
            return None
        value = value.get(segment)
    return value


def _minor(version: str) -> tuple[str, ...]:
    return tuple(version.strip("^~>=< v").split(".")[:2])
