"""Which node has which configuration of the device plugin is written nowhere.

What it does: where `config.map` holds several configurations, looks for something in sight that sets the label
`nvidia.com/device-plugin.config` on nodes.

Why it matters at run time: a label that somebody set by hand is lost with the node. The plugin then takes the default:
the number of GPUs changes, and nothing in git says why. Source: k8s-device-plugin, cmd/config-manager/main.go.

How to mend it: set the label where nodes are described, such as in Talos' `nodeLabels`.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.chartvalues import DEVICE_PLUGIN, ChartRule, ChartValues
from compiler.check.rule import Finding
from compiler.diagnostics import Severity

CONFIG_LABEL = "nvidia.com/device-plugin.config"


def _check(values: ChartValues) -> Iterator[Finding]:
    configs = values.set("config", "map")
    if values.chart.name != DEVICE_PLUGIN or not isinstance(configs, dict) or values.labelled:
        return
    if len(configs) > 1:
        yield Finding(
            f"nodes choose one of {len(configs)} configurations by the label {CONFIG_LABEL}, which nothing here sets",
            values.place(("config", "map"), key=True),
            "set the label where the nodes are described, such as in Talos' nodeLabels",
        )


RULE = ChartRule("GPU609", "values-choice", _check, Severity.WARNING)
