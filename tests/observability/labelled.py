"""Applies relabelling steps, as a scrape does, for the proof that runs without one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compiler.objects import Obj
from tests.observability.fleet import Fleet, Node, Series


def relabelled(labels: dict[str, str], steps: list[Obj]) -> dict[str, str]:
    """Return labels after the steps: `replace` and `labeldrop`, which are all that gpuc uses."""
    found = dict(labels)
    for step in steps:
        pattern = re.compile(step.get("regex", "(.*)"))
        if step["action"] == "labeldrop":
            found = {key: value for key, value in found.items() if not pattern.fullmatch(key)}
        elif match := pattern.fullmatch(";".join(found.get(label, "") for label in step["sourceLabels"])):
            found[step["targetLabel"]] = match.group(1) if pattern.groups else match.group()
    return found


def target(node: Node) -> dict[str, str]:
    """Return what an operator knows of a node's exporter before gpuc's own steps."""
    return {
        "__meta_kubernetes_pod_node_name": node.name,
        "__meta_kubernetes_pod_label_app_kubernetes_io_instance": node.pool,
        "instance": "10.0.0.1:9400",
        "job": "dcgm-exporter",
        "namespace": "gpu",
        "pod": f"dcgm-exporter-{node.pool}-x",
        "container": "dcgm-exporter",
    }


def scraped(fleet: Fleet, endpoint: Obj, seconds: float = 0) -> Iterator[Series]:
    """Return every series as it arrives: labels of the target, and the exporter's, which lose where both are there."""
    for node in fleet.nodes.values():
        own = relabelled(target(node), endpoint["relabelings"])
        own = {key: value for key, value in own.items() if not key.startswith("__")}
        for name, labels, value in node.series(seconds) if node.up else ():
            kept = {(f"exported_{key}" if key in own else key): label for key, label in labels.items()}
            yield name, relabelled({**own, **kept}, endpoint["metricRelabelings"]), value
    yield from fleet.kube_state_metrics()
