"""An edited ConfigMap never reaches the running pods.

What it does: looks for ConfigMaps that pods of the device plugin, GPU Feature Discovery, the MPS daemon or the DCGM
exporter mount, whose name carries no hash and whose workload has neither a checksum nor a reloader annotation. A
ConfigMap that comes with the workload from one chart (the same `app.kubernetes.io/instance`) is left to the chart.

Why it matters: the programs read their files once. An edit is applied, everything is green, and the cards are shared as
before until each pod happens to restart. Sources: k8s-device-plugin#990, gpu-operator#412 and #1144.

How to mend it: generate the ConfigMap with kustomize's configMapGenerator, which puts a hash into its name, or annotate
the pods with a checksum of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from compiler.check.objects.mounts import sources
from compiler.check.objects.plain import items, mapping, text
from compiler.check.objects.programs import NEEDS_NVML, running
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Located, PodTemplate, Scene
from compiler.diagnostics import Severity

# Kustomize's hash: ten characters, without vowels and what looks alike.
_HASHED = re.compile(r".+-[02456789bcdfghkmt]{10}")
_ROLLS = re.compile(r"checksum|reloader|config-?hash|(^|/)hash", re.IGNORECASE)
_INSTANCE = "app.kubernetes.io/instance"


def _check(scene: Scene) -> Iterator[Finding]:
    for pod in {id(item.pod): item.pod for item in running(scene, *NEEDS_NVML)}.values():
        if _rolls(pod):
            continue
        for index, volume in items(pod.spec.get("volumes")):
            for within, reference in sources(volume):
                name = text(reference.get("name"))
                found = scene.find("ConfigMap", pod.owner.namespace, name)
                if found is None or _HASHED.fullmatch(name) or found.get("immutable") or _same_chart(found, pod):
                    continue
                yield Finding(
                    f"{pod} mounts the ConfigMap {name} under a name that never changes: an edit is applied and "
                    "green, but reaches no pod until it restarts",
                    pod.place("volumes", index, *within, "name"),
                    "generate it with configMapGenerator (the name then carries a hash), or annotate the pods with a "
                    "checksum of it",
                )


def _rolls(pod: PodTemplate) -> bool:
    owner = pod.owner
    annotations = {
        **mapping(owner.get("metadata", "annotations")),
        **mapping(owner.get(*pod.route, "metadata", "annotations")),
    }
    return any(_ROLLS.search(key) for key in annotations)


def _same_chart(config_map: Located, pod: PodTemplate) -> bool:
    instance = mapping(config_map.get("metadata", "labels")).get(_INSTANCE)
    return instance is not None and instance == mapping(pod.owner.get("metadata", "labels")).get(_INSTANCE)


RULE = SceneRule("GPU218", "config-rolls-out", _check, Severity.WARNING)
