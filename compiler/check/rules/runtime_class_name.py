"""A pod that needs NVML has no runtimeClassName.

What it does: asks for `runtimeClassName` in every pod of the device plugin, GPU Feature Discovery, the DCGM exporter
and the MPS daemon. Where NVIDIA's runtime is containerd's default it keeps silent; where nobody says, and the nodes are
not Talos, it warns.

Why it fails at run time: the runtime injects the driver's libraries only into containers of NVIDIA's handler. Without
them NVML fails with ERROR_LIBRARY_NOT_FOUND; on Talos there is no other way to the libraries. Sources:
k8s-device-plugin#1220 and #1134, dcgm-exporter#612.

How to mend it: set `runtimeClassName: nvidia`.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.programs import NEEDS_NVML, running
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene
from compiler.diagnostics import Severity


def _check(scene: Scene) -> Iterator[Finding]:
    if scene.default_runtime:
        return
    certain = scene.default_runtime is False or any(pool.talos for pool in scene.pools or ())
    unless = "" if certain else ", unless NVIDIA's runtime is containerd's default"
    for item in running(scene, *NEEDS_NVML):
        if not item.pod.spec.get("runtimeClassName"):
            yield Finding(
                f"{item} has no runtimeClassName: the driver's libraries are not in its container, and NVML fails "
                f"with ERROR_LIBRARY_NOT_FOUND{unless}",
                item.pod.absent("runtimeClassName"),
                "set runtimeClassName: nvidia in its pods",
                severity=None if certain else Severity.WARNING,
            )


RULE = SceneRule("GPU206", "runtime-class-name", _check)
