"""Cards are shared by MPS, but nothing runs the MPS control daemon.

What it does: looks for the daemon wherever a device plugin's configuration shares by MPS.

Why it fails at run time: the plugin waits for the daemon and advertises nothing. Source: k8s-device-plugin,
internal/plugin/mps.go.

How to mend it: add the daemon's DaemonSet, or share by timeSlicing.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.certainty import if_nothing_else
from compiler.check.objects.plugin import plugin_profiles
from compiler.check.objects.programs import Program, running
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene


def _check(scene: Scene) -> Iterator[Finding]:
    if any(running(scene, Program.MPS)):
        return
    told = set()
    for item, profile in plugin_profiles(scene):
        shared = profile.sharing()
        source = (id(profile.file.source), profile.file.key)
        if shared and shared[0] == "mps" and source not in told:
            told.add(source)
            yield Finding(
                f"{item.pod} shares cards by MPS, but nothing runs the MPS control daemon: the plugin waits for it and "
                "advertises no GPU",
                profile.file.place(),
                "add the mps-control-daemon's DaemonSet, or share by timeSlicing",
                severity=if_nothing_else(scene),
            )


RULE = SceneRule("GPU229", "mps-daemon", _check)
