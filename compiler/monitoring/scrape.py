"""How the exporter's series get their labels: the node's name, the pool, and the workload's pod.

A scrape adds the labels `pod`, `namespace` and `container` of the exporter's own pod, and renames the exporter's labels
of these names, which are the workload's, to `exported_pod` and so on; a series without a workload would even seem to
belong to the exporter. So those three are taken off the target. `pod_uid` changes with every restart of a workload and
says nothing that the pod's name does not.
"""

from __future__ import annotations

from compiler.objects import Obj

_NODE = "__meta_kubernetes_pod_node_name"
_POOL = "__meta_kubernetes_pod_label_app_kubernetes_io_instance"

TARGET: list[Obj] = [
    {"action": "replace", "sourceLabels": [_NODE], "targetLabel": "node"},
    {"action": "replace", "sourceLabels": [_NODE], "targetLabel": "instance"},
    {"action": "replace", "sourceLabels": [_POOL], "targetLabel": "pool"},
    {"action": "labeldrop", "regex": "pod|namespace|container"},
]
"""Applied before the scrape, in the spelling of a ServiceMonitor."""

METRICS: list[Obj] = [
    # `Hostname` became `hostname` in later releases of the exporter; dashboards see the later one with either.
    {"action": "replace", "sourceLabels": ["Hostname"], "regex": "(.+)", "targetLabel": "hostname"},
    {"action": "labeldrop", "regex": "Hostname|pod_uid"},
]
"""Applied to what was scraped."""


def job(namespace: str, name: str, interval: str, timeout: str) -> Obj:
    """Return a scrape job for a Prometheus or VictoriaMetrics without an operator; `name` is the exporter's label."""
    keep = {
        "source_labels": ["__meta_kubernetes_pod_label_app_kubernetes_io_name"],
        "regex": name,
        "action": "keep",
    }
    port = {"source_labels": ["__meta_kubernetes_pod_container_port_name"], "regex": "metrics", "action": "keep"}
    return {
        "job_name": name,
        "scrape_interval": interval,
        "scrape_timeout": timeout,
        "kubernetes_sd_configs": [{"role": "pod", "namespaces": {"names": [namespace]}}],
        "relabel_configs": [keep, port, *map(_plain_spelling, TARGET)],
        "metric_relabel_configs": [_plain_spelling(step) for step in METRICS],
    }


def _plain_spelling(step: Obj) -> Obj:
    """Return a step of a ServiceMonitor as Prometheus' own configuration spells it."""
    names = {"sourceLabels": "source_labels", "targetLabel": "target_label"}
    return {names.get(key, key): value for key, value in step.items()}
