"""The RuntimeClass of the GPU pods has a handler that the nodes do not have.

What it does: for every RuntimeClass that pods of the stack name, compares the handler with those that NVIDIA's toolkit
registers: `nvidia`, `nvidia-cdi`, `nvidia-legacy`. On Talos only `nvidia` exists. Elsewhere a handler may be called
anything, so the finding is a warning.

Why it fails at run time: containerd knows no runtime of that name and refuses to create the pod's sandbox
("no runtime for ... is configured"). Sources: gpu-operator#413 and #730; the siderolabs/nvidia-container-toolkit
extension registers `nvidia`.

How to mend it: set `handler: nvidia`.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.plain import text
from compiler.check.objects.programs import NEEDS_NVML, running
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene
from compiler.diagnostics import Severity

_KNOWN = frozenset({"nvidia", "nvidia-cdi", "nvidia-legacy"})


def _check(scene: Scene) -> Iterator[Finding]:
    named = {text(item.pod.spec.get("runtimeClassName")) for item in running(scene, *NEEDS_NVML)}
    talos = any(pool.talos for pool in scene.pools or ())
    for item in scene.of_kind("RuntimeClass"):
        handler = text(item.get("handler"))
        if item.name not in named or handler in (_KNOWN if not talos else {"nvidia"}):
            continue
        where = "Talos registers only the handler nvidia" if talos else "NVIDIA's toolkit registers no such handler"
        yield Finding(
            f"RuntimeClass {item.name} has the handler {handler}, but {where}: containerd refuses the pods' sandboxes",
            item.place(("handler",)),
            "set handler: nvidia",
            severity=None if talos else Severity.WARNING,
        )


RULE = SceneRule("GPU208", "runtime-class-handler", _check)
