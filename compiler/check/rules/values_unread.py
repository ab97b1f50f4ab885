"""A value stands at a key that the chart lists and no template reads.

What it does: knows the keys of the charts' values.yaml that have no effect: `gfd.noTimestamp` and `gfd.sleepInterval`
of the device plugin's.

Why it fails at run time: the setting never reaches GPU Feature Discovery; its template reads the keys at the top.
Source: the chart's daemonset-gfd.yml.

How to mend it: write the key that the message names.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.chartvalues import ChartRule, ChartValues, settings
from compiler.check.rule import Finding
from compiler.diagnostics import Severity


def _check(values: ChartValues) -> Iterator[Finding]:
    for setting in settings(values):
        read = setting.chart.ignored.get(setting.path)
        if read is not None and setting.value is not None:
            yield Finding(
                f"`{'.'.join(str(part) for part in setting.route)}` does nothing: the chart's templates never read it",
                values.place(setting.route, key=True),
                f"write `{read}` at the top of the values",
            )


RULE = ChartRule("GPU605", "values-unread", _check, Severity.WARNING)
