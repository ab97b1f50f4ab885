"""The Grafana dashboard, as a ConfigMap that the sidecar of Grafana's chart loads."""

from __future__ import annotations

from compiler.components.api import Component, Context
from compiler.components.pods import labels, metadata
from compiler.model.stack import GPUStack
from compiler.monitoring.dashboard import FILE, dashboard
from compiler.objects import Obj

NAME = "gpu-dashboard"


class GrafanaDashboard(Component):
    """One dashboard for all clusters: it asks the data source which nodes and cards there are.

    Its name stays the same when its content changes. With a hashed name the sidecar would see a new ConfigMap and a
    deleted one with the same file in it, in any order.
    """

    name = "dashboard"
    root = "monitoring"

    def enabled(self, stack: GPUStack) -> bool:
        """Whether the stack has the dashboard; without an exporter it would be empty."""
        return stack.has_dcgm_exporter and stack.monitoring.dashboard.enabled

    def shared(self, context: Context) -> list[Obj]:
        """Return the ConfigMap."""
        settings = context.stack.monitoring.dashboard
        own = {**labels(NAME, "dashboard"), settings.label: settings.label_value, **settings.labels}
        folder = {settings.folder_annotation: settings.folder} if settings.folder else {}
        return [
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": metadata(NAME, context.namespace, own, {**folder, **settings.annotations}),
                "data": {FILE: dashboard(context.stack.monitoring.rules.runbook_url)},
            }
        ]


COMPONENT = GrafanaDashboard()
