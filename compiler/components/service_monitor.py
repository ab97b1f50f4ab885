"""The ServiceMonitor of the DCGM exporter, in a Kustomize root of its own: its CRD comes from somebody else."""

from __future__ import annotations

from compiler.components.api import Component, Context
from compiler.components.crds import crd
from compiler.components.dcgm_exporter import NAME, exporter_settings
from compiler.components.pods import labels, metadata, plain, selector
from compiler.model.stack import GPUStack
from compiler.monitoring import scrape
from compiler.objects import Obj


class ServiceMonitor(Component):
    """Read by the Prometheus operator and by VictoriaMetrics' operator; without the CRD only this root waits."""

    name = "service-monitor"
    root = "monitoring"

    def enabled(self, stack: GPUStack) -> bool:
        """Whether the exporter is scraped by an operator."""
        return stack.has_dcgm_exporter and exporter_settings(stack).service_monitor.enabled

    def shared(self, context: Context) -> list[Obj]:
        """Return the ServiceMonitor, and its CRD where nobody else brings it."""
        settings = exporter_settings(context.stack).service_monitor
        endpoint = {
            "port": "metrics",
            "path": "/metrics",
            "interval": settings.interval,
            "scrapeTimeout": settings.scrape_timeout,
            "honorLabels": settings.honor_labels,
            "relabelings": [*scrape.TARGET, *(plain(step) for step in settings.relabelings)],
            "metricRelabelings": [*scrape.METRICS, *(plain(step) for step in settings.metric_relabelings)],
        }
        own = {**labels(NAME, "service-monitor"), **settings.additional_labels}
        monitor = {
            "apiVersion": "monitoring.coreos.com/v1",
            "kind": "ServiceMonitor",
            "metadata": metadata(NAME, context.namespace, own),
            "spec": {
                "jobLabel": "app.kubernetes.io/name",
                "selector": {"matchLabels": selector(NAME, "exporter")},
                "namespaceSelector": {"matchNames": [context.namespace]},
                "endpoints": [endpoint],
            },
        }
        with_crd = context.stack.monitoring.service_monitor_crd.managed == "gpuc"
        return [*([crd("servicemonitors.monitoring.coreos.com")] if with_crd else []), monitor]


COMPONENT = ServiceMonitor()
