"""kustomize would apply NFD's post-delete hook as an ordinary Job.

What it does: where kustomize renders NFD, or the device plugin's chart with it, asks for `skipHooks: true`.

Why it fails at run time: kustomize runs `helm template`, which prints hooks like any object. The Job runs
`nfd-master -prune` as soon as it is applied, and strips every label of NFD's from all nodes: the GPU pods leave.
Source: the chart's post-delete-job.yaml.

How to mend it: set `skipHooks: true` beside the chart's name, or `postDeleteCleanup: false` in NFD's values.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.chartvalues import DEVICE_PLUGIN, EXPORTER, ChartRule, ChartValues
from compiler.check.rule import Finding


def brings_nfd(values: ChartValues) -> bool:
    """Return whether a chart installs NFD: its own, or the device plugin's with NFD as its subchart."""
    if values.chart.name == EXPORTER:
        return False
    if values.chart.name == DEVICE_PLUGIN:
        own = values.effective("nfd", "enabled")
        return bool(values.effective("gfd", "enabled")) if own is None else bool(own)
    return True


def _check(values: ChartValues) -> Iterator[Finding]:
    if values.inflation is None or values.inflation.skip_hooks or not brings_nfd(values):
        return
    above = ("nfd",) if values.chart.name == DEVICE_PLUGIN else ()
    if values.set(*above, "postDeleteCleanup") is not False:
        yield Finding(
            f"kustomize renders {values.what} with NFD's post-delete hook as an ordinary Job, which strips the nodes "
            "of all of NFD's labels as soon as it is applied",
            values.inflation.place,
            "add `skipHooks: true` beside the chart's name",
        )


RULE = ChartRule("GPU607", "values-hooks", _check)
