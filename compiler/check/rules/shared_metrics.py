"""The DCGM exporter does not know that cards are shared.

What it does: where cards are time-sliced or shared by MPS and the exporter maps metrics to pods, asks for
KUBERNETES_VIRTUAL_GPUS=true, and with it for hostPID. An exporter whose every ServiceMonitor has `honorLabels: false`
is left alone: there the exporter's own name stands in `pod`, and nobody takes the rest for a workload's by accident.

Why it matters: without the variable each card is shown for one of its pods, a different one with every scrape. With it,
GPU_UTIL and FB_USED are true for each pod, but only if the exporter sees the node's process IDs. Sources:
dcgm-exporter#307, #582 and #587.

How to mend it: set both.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.plain import items, text, texts
from compiler.check.objects.plugin import strategies
from compiler.check.objects.programs import Program, StackPod, running
from compiler.check.objects.selectors import matches
from compiler.check.rule import Finding, SceneRule
from compiler.check.rules.service_monitor_selects import services_of
from compiler.check.scene import Scene
from compiler.diagnostics import Severity

_VARIABLE = "KUBERNETES_VIRTUAL_GPUS"
_TRUE = frozenset({"1", "t", "T", "true", "TRUE", "True"})


def _check(scene: Scene) -> Iterator[Finding]:
    shared = sorted(strategies(scene))
    if not shared:
        return
    for item in running(scene, Program.EXPORTER):
        env = item.env()
        if text(env.get("DCGM_EXPORTER_KUBERNETES", (0, ""))[1]) not in _TRUE or _drops_attribution(scene, item):
            continue
        if _VARIABLE not in env or text(env[_VARIABLE][1]) not in _TRUE:
            here = ("env", env[_VARIABLE][0], "value") if _VARIABLE in env else ("name",)
            yield Finding(
                f"cards are shared by {shared[0]}, but {item} does not set {_VARIABLE}: each card's metrics go to one "
                "of its pods, another one with every scrape",
                item.place(*here),
                f'add {{name: {_VARIABLE}, value: "true"}} to its env and hostPID: true to its pods',
            )
        elif item.pod.spec.get("hostPID") is not True:
            yield Finding(
                f"{item} sets {_VARIABLE} without hostPID: it cannot tell whose process uses a card, and repeats the "
                "card's values for every pod",
                item.place("env", env[_VARIABLE][0], "name"),
                "add hostPID: true to its pods",
            )


def _drops_attribution(scene: Scene, item: StackPod) -> bool:
    """Return whether monitors scrape the exporter, and all of them replace its `pod` label."""
    kept = []
    for monitor in scene.of_kind("ServiceMonitor"):
        for service in services_of(scene, monitor):
            selector = texts(service.get("spec", "selector"))
            if selector and service.namespace == item.namespace and matches({"matchLabels": selector}, item.pod.labels):
                kept += [entry.get("honorLabels") is True for _, entry in items(monitor.get("spec", "endpoints"))]
    return bool(kept) and not any(kept)


RULE = SceneRule("GPU233", "shared-metrics", _check, Severity.WARNING)
