"""A Service or PodMonitor is for metrics of the device plugin, which has none.

What it does: looks for Services and PodMonitors that select pods of the device plugin or of GPU Feature Discovery.

Why it matters: neither program listens on any port; the scrape fails for ever and its alert fires. Metrics of the cards
come from the DCGM exporter. Source: k8s-device-plugin, cmd/nvidia-device-plugin.

How to mend it: delete the object, and point monitoring at the DCGM exporter.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.plain import mapping, strings
from compiler.check.objects.programs import Program, program_of
from compiler.check.objects.selectors import selected
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Located, PodTemplate, Scene

_SILENT = frozenset({Program.PLUGIN, Program.GFD})


def _check(scene: Scene) -> Iterator[Finding]:
    for item in scene.of_kind("Service", "PodMonitor"):
        pods = _pods(scene, item)
        if pods and all(_listens_nowhere(pod) for pod in pods):
            yield Finding(
                f"{item} is for {pods[0]}, which listens on no port: whatever scrapes it fails for ever",
                item.place(("spec", "selector"), key=True),
                "delete it; the metrics of the cards come from the DCGM exporter",
            )


def _pods(scene: Scene, item: Located) -> list[PodTemplate]:
    selector = mapping(item.get("spec", "selector"))
    if not selector:
        return []
    if item.kind == "Service":
        return selected(scene, item.namespace, {"matchLabels": selector})
    names = strings(item.get("spec", "namespaceSelector", "matchNames")) or [item.namespace]
    return [pod for name in names for pod in selected(scene, name, selector)]


def _listens_nowhere(pod: PodTemplate) -> bool:
    containers = [container for route, container in pod.containers() if route[0] == "containers"]
    return any(program_of(container) in _SILENT for container in containers) and not any(
        container.get("ports") for container in containers
    )


RULE = SceneRule("GPU213", "plugin-metrics", _check)
