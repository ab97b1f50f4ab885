"""A variable is set that the program does not read.

What it does: compares the environment of the device plugin, GPU Feature Discovery and the DCGM exporter with the names
that the program and the container toolkit read. Only names that look like one of theirs are judged.

Why it fails at run time: nothing complains; the setting stays what it was. NVIDIA_DEVICE_DISCOVERY_STRATEGY leaves the
discovery on auto, which finds nothing on Talos. Sources: k8s-device-plugin v0.20.0, cmd/; dcgm-exporter 4.5.3,
pkg/cmd/app.go.

How to mend it: use the name that is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from compiler.check.objects.programs import Program, running
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene
from compiler.diagnostics import Severity
from compiler.model import variables

_KUBERNETES = frozenset({"KUBECONFIG", "KUBE_API_BURST", "KUBE_API_QPS", "NAMESPACE", "NODE_NAME", "POD_NAME"})
# Read by NVIDIA's container toolkit in every container, beside `variables.RUNTIME`.
_TOOLKIT = frozenset({"NVIDIA_GDRCOPY", "NVIDIA_GDS", "NVIDIA_MOFED", "NVIDIA_NVSWITCH", "NVIDIA_REQUIRE_JETPACK"})
_READS = {
    Program.PLUGIN: variables.DEVICE_PLUGIN | _KUBERNETES | _TOOLKIT,
    Program.GFD: variables.GPU_FEATURE_DISCOVERY | _KUBERNETES | _TOOLKIT,
    Program.EXPORTER: variables.DCGM_EXPORTER | _KUBERNETES | _TOOLKIT,
}
# What the exporter reads under its own prefix grows with every release: only what is nearly a known name is judged.
_OPEN = "DCGM_EXPORTER_"


def _check(scene: Scene) -> Iterator[Finding]:
    for item in running(scene, *_READS):
        known = _READS[item.program]
        for name, (index, _) in item.env().items():
            if name in known or not name.startswith(variables.FAMILIES):
                continue
            meant = _meant(name, known)
            if meant is None and name.startswith(_OPEN):
                continue
            yield Finding(
                f"{item} does not read {name}: the setting has no effect, and nothing says so",
                item.place("env", index, "name"),
                f"did you mean {meant}?" if meant else "delete it, or look up the name in the program's --help",
                severity=None if meant else Severity.WARNING,
            )


def _meant(name: str, known: frozenset[str]) -> str | None:
    for prefix in ("NVIDIA_", "GFD_", "DCGM_EXPORTER_", "DCGM_"):
        if name.removeprefix(prefix) in known:
            return name.removeprefix(prefix)
        if prefix + name in known:
            return prefix + name
    close = get_close_matches(name, sorted(known), n=1, cutoff=0.85)
    return close[0] if close else None


RULE = SceneRule("GPU237", "unread-environment", _check)
