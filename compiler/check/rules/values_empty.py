"""An empty mapping is meant to clear a chart's default, and does not.

What it does: looks for `{}` at keys where the chart's default is a mapping that holds something.

Why it fails at run time: Helm merges mappings, so an empty one changes nothing. `affinity: {}` leaves the device
plugin's affinity for `pci-10de.present` in place: with another NFD configuration it gets 0 pods. Where the values
install NFD with the configuration that the affinity is for, it warns. Source: helm.sh/helm/v3, pkg/chartutil.

How to mend it: write null instead.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.chartvalues import DEVICE_PLUGIN, ChartRule, ChartValues, Setting, merged, settings
from compiler.check.rule import Finding
from compiler.diagnostics import Severity
from compiler.objects import Json


def _check(values: ChartValues) -> Iterator[Finding]:
    for setting in settings(values):
        default = _default(values, setting)
        if setting.value != {} or not isinstance(default, dict) or not default:
            continue
        name = ".".join(str(part) for part in setting.route)
        affinity = setting.path == "affinity" and values.chart.name == DEVICE_PLUGIN
        kept = "its pods still run only on nodes with the labels of the default affinity" if affinity else "it stays"
        yield Finding(
            f"`{name}: {{}}` does not clear the chart's default, since Helm merges mappings: {kept}",
            values.place(setting.route, key=True),
            f"write `{name.rpartition('.')[2]}: null` to clear it, or delete the line to keep it",
            severity=None if affinity and not _own_nfd(values) else Severity.WARNING,
        )


def _default(values: ChartValues, setting: Setting) -> Json:
    value: Json = values.chart.defaults
    for number, segment in enumerate(setting.route):
        if not isinstance(value, dict):
            return None
        inner = value.get(segment)
        subchart = values.chart.subcharts.get(str(segment)) if number == 0 else None
        value = merged(subchart.defaults, inner if isinstance(inner, dict) else {}) if subchart else inner
    return value


def _own_nfd(values: ChartValues) -> bool:
    """Return whether the values install NFD: with GPU Feature Discovery, unless they say otherwise."""
    own = values.effective("nfd", "enabled")
    return bool(values.effective("gfd", "enabled")) if own is None else bool(own)


RULE = ChartRule("GPU603", "values-empty", _check)
