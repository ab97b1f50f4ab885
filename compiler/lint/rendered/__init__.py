"""What the three charts render from values, as far as the rules on finished objects look at it.

Not a renderer: names and labels are this package's own, selectors are kept apart, and hooks and the MPS daemon that
nobody asked for are left out, since whoever installs a chart with Helm cannot change them. Every field knows the value
behind it.
"""

from __future__ import annotations

from compiler.check.chartvalues import DEVICE_PLUGIN, EXPORTER, ChartValues
from compiler.check.scene import Located
from compiler.lint.rendered import exporter, nfd, plugin


def rendered(values: ChartValues) -> list[Located]:
    """Return the objects that a chart makes of values."""
    if values.chart.name == DEVICE_PLUGIN:
        return [*plugin.objects(values), *nfd.subchart(values)]
    if values.chart.name == EXPORTER:
        return exporter.objects(values)
    return nfd.objects(values)
