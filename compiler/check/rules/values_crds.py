"""kustomize renders NFD's chart without its CRDs.

What it does: where kustomize renders NFD, or the device plugin's chart with it, asks for `includeCRDs: true`.

Why it fails at run time: NFD's master and worker exit without their CRDs, so that no node gets a label; since 0.19 GPU
Feature Discovery publishes through them too. kustomize leaves a chart's CRDs out unless it is told otherwise. Source:
node-feature-discovery#850; kustomize, api/types/helmchartargs.go.

How to mend it: set `includeCRDs: true` beside the chart's name.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.chartvalues import ChartRule, ChartValues
from compiler.check.rule import Finding
from compiler.check.rules.values_hooks import brings_nfd


def _check(values: ChartValues) -> Iterator[Finding]:
    if values.inflation is not None and not values.inflation.include_crds and brings_nfd(values):
        yield Finding(
            f"kustomize renders {values.what} without NFD's CRDs: NFD exits, and no node gets a label",
            values.inflation.place,
            "add `includeCRDs: true` beside the chart's name",
        )


RULE = ChartRule("GPU608", "values-crds", _check)
