"""An MPS control daemon is there although nobody shares cards by MPS.

What it does: looks for the MPS daemon where the device plugin's configurations and the node pools are known and none
of them says MPS.

Why it matters: it is a privileged pod with the node's process IDs that does nothing. The device plugin's chart renders
it always; it waits for `nvidia.com/mps.capable=true`, and once a node gets that label by mistake it takes the card into
exclusive mode. Source: k8s-device-plugin#1085 and its chart's daemonset-mps-control-daemon.yml.

How to mend it: remove the DaemonSet, in kustomize with a patch `$patch: delete`.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.plugin import plugin_profiles, strategies
from compiler.check.objects.programs import Program, running
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene


def _check(scene: Scene) -> Iterator[Finding]:
    daemons = list(running(scene, Program.MPS))
    if not daemons or "mps" in strategies(scene):
        return
    known = plugin_profiles(scene) or any(pool.sharing for pool in scene.pools or ())
    if not known and not any(running(scene, Program.PLUGIN)):
        return
    for item in daemons:
        yield Finding(
            f"{item} is there, but no configuration shares cards by MPS: a privileged pod that does nothing, until a "
            "node is labelled mps.capable by mistake",
            item.pod.owner.place(("metadata", "name")),
            "remove it (in kustomize a patch with $patch: delete), or share by sharing.mps",
        )


RULE = SceneRule("GPU228", "mps-unasked", _check)
