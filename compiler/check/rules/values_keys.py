"""A value stands at a key that the chart does not read.

What it does: compares every key of the values of nvidia-device-plugin, node-feature-discovery and dcgm-exporter with
those that the chart's values.yaml and templates know. Where the chart is of another release than the one that was
looked at, and the mistake is not a known one, it warns.

Why it fails at run time: Helm takes any key and says nothing; what is written there never reaches a pod. `flags:` at
the top of the device plugin's values, `serviceMonitor.labels` of the exporter and `tolerations` at the top of NFD's are
the usual ones. Source: the charts' templates.

How to mend it: move the value to the key that the message names.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.chartvalues import Chart, ChartRule, ChartValues, Setting, settings
from compiler.check.rule import Finding
from compiler.diagnostics import Severity
from compiler.model.describe import suggest
from compiler.objects import Json


def _check(values: ChartValues) -> Iterator[Finding]:
    for setting in settings(values):
        if setting.key is None:
            yield from _findings(values, setting)


def _findings(values: ChartValues, setting: Setting) -> Iterator[Finding]:
    below = list(_known_below(setting.chart, setting.path, setting.value))
    name = ".".join(str(part) for part in setting.route)
    said = f"{setting.chart.name} does not read `{name}`: Helm drops it in silence"
    if below:
        moves = ", ".join(f"`{theirs}` as `{ours}`" for theirs, ours in below)
        advice, sure = f"write {moves}", True
    else:
        advice, sure = _advice(setting)
    yield Finding(
        said,
        values.place(setting.route, key=True),
        advice,
        severity=None if sure or not values.other_release else Severity.WARNING,
    )


def _known_below(chart: Chart, path: str, value: Json) -> Iterator[tuple[str, str]]:
    """Yield what is set below an unknown key and has a home of its own: where it stands, and where it belongs."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        below = f"{path}.{key}"
        if below in chart.meant:
            yield below, chart.meant[below]
        else:
            yield from _known_below(chart, below, inner)


def _advice(setting: Setting) -> tuple[str, bool]:
    """Return what to do, and whether the mistake is a known one."""
    chart, path = setting.chart, setting.path
    if path in chart.closed:
        return chart.closed[path], True
    if path in chart.meant:
        return f"did you mean `{chart.meant[path]}`?", True
    above, _, name = path.rpartition(".")
    siblings = list(dict.fromkeys(_next(known, above) for known in chart.keys if _is_below(known, above)))
    if close := suggest(name, siblings):
        return f"did you mean `{f'{above}.{close}' if above else close}`?", False
    homes = [known for known in chart.keys if known.rpartition(".")[2] == name]
    if homes and len(homes) <= _MOST_HOMES:
        return f"`{name}` belongs to {' or '.join(f'`{home}`' for home in homes)}", False
    return f"known here: {', '.join(sorted(siblings))}" if above and siblings else "delete it", False


_MOST_HOMES = 4


def _is_below(path: str, above: str) -> bool:
    return not above or path.startswith(f"{above}.")


def _next(path: str, above: str) -> str:
    return path[len(above) + 1 if above else 0 :].partition(".")[0]


RULE = ChartRule("GPU601", "values-keys", _check)
