"""The device plugin's default configuration does not exist, or there is none.

What it does: compares `config.default` with the names in `config.map`; where no default is named, it asks for a single
configuration, one called `default`, or the fallback `empty`. `config.name` together with `config.map` is refused too.

Why it fails at run time: config-manager, the init container, exits with "specified config ... does not exist", and the
plugin never starts; the chart itself checks only that some default is named. Sources: k8s-device-plugin,
cmd/config-manager/main.go; the chart's validation.yml.

How to mend it: name one of the configurations that there are.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.chartvalues import DEVICE_PLUGIN, ChartRule, ChartValues
from compiler.check.rule import Finding
from compiler.model.describe import suggest


def _check(values: ChartValues) -> Iterator[Finding]:
    configs = values.set("config", "map")
    if values.chart.name != DEVICE_PLUGIN or not isinstance(configs, dict) or not configs:
        return
    names = [str(name) for name in configs]
    if values.set("config", "name"):
        yield Finding(
            "`config.name` and `config.map` are both set: the chart refuses to render",
            values.place(("config", "name"), key=True),
            "delete one: `name` points to a ConfigMap of your own, `map` makes one",
        )
    default = values.effective("config", "default")
    if default and str(default) not in names:
        meant = suggest(str(default), names)
        yield Finding(
            f"the default configuration `{default}` is not in `config.map`: the plugin's init container exits, and "
            "no GPU is advertised",
            values.place(("config", "default")),
            f"did you mean `{meant}`?" if meant else f"there is: {', '.join(sorted(names))}",
        )
    fallbacks = values.effective("config", "fallbackStrategies")
    if default or not isinstance(fallbacks, list):
        return
    found = ("single" in fallbacks and len(names) == 1) or ("named" in fallbacks and "default" in names)
    if not found and "empty" not in fallbacks:
        yield Finding(
            f"none of the {len(names)} configurations is the default: the chart refuses to render",
            values.place(("config", "map"), key=True),
            f"set `config.default` to one of: {', '.join(sorted(names))}",
        )


RULE = ChartRule("GPU604", "values-default-config", _check)
