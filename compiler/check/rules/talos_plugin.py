"""The device plugin is told to look for cards, or to hand them out, in a way that fails on Talos.

What it does: for device plugins that run on Talos, looks at the discovery and list strategies that they are given by
environment or configuration file. Discovery has to be nvml; cdi-* needs Talos 1.13 and the path of its CDI hook.

Why it fails at run time: `auto` probes paths that Talos does not have and finds no driver. Up to 1.12 the driver sits
in a squashfs whose host paths CDI cannot mount; since 1.13 the hook is at /usr/local/bin/nvidia-cdi-hook, and without
that path containers do not start. Source: siderolabs/talos#13021; k8s-device-plugin, cmd/nvidia-device-plugin/main.go.

How to mend it: deviceDiscoveryStrategy nvml with deviceListStrategy envvar.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.plain import strings, text
from compiler.check.objects.plugin import profiles
from compiler.check.objects.programs import Program, StackPod, running
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene
from compiler.diagnostics import Place, Severity
from compiler.objects import Json

HOOK = "/usr/local/bin/nvidia-cdi-hook"
_NATIVE_CDI = (1, 13)


def _check(scene: Scene) -> Iterator[Finding]:
    releases = [pool.talos for pool in scene.pools or () if pool.talos]
    if not releases:
        return
    for item in running(scene, Program.PLUGIN):
        strategies, place = _given(scene, item, "DEVICE_DISCOVERY_STRATEGY", "deviceDiscoveryStrategy")
        if "nvml" not in strategies and (strategies or not _is_told_elsewhere(scene, item)):
            shown = ", ".join(strategies) or "auto, which it takes where nobody says otherwise,"
            yield Finding(
                f"{item} looks for cards by {shown} and finds no driver: it probes paths that Talos does not have",
                place,
                "set deviceDiscoveryStrategy: nvml (DEVICE_DISCOVERY_STRATEGY=nvml in its environment)",
                severity=None if strategies else Severity.WARNING,
            )
        yield from _lists(scene, item, min(releases))


def _is_told_elsewhere(scene: Scene, item: StackPod) -> bool:
    """Return whether the plugin reads a file that is not in sight."""
    return "CONFIG_FILE" in item.env() and not profiles(scene, item)


def _lists(scene: Scene, item: StackPod, release: tuple[int, int]) -> Iterator[Finding]:
    strategies, place = _given(scene, item, "DEVICE_LIST_STRATEGY", "deviceListStrategy", "plugin")
    cdi = [strategy for strategy in strategies if strategy.startswith("cdi-")]
    hook, _ = _given(scene, item, "NVIDIA_CDI_HOOK_PATH", "nvidiaCTKPath", "plugin")
    if cdi and release < _NATIVE_CDI:
        yield Finding(
            f"{item} hands out cards by {cdi[0]}, which fails on Talos {release[0]}.{release[1]}: its mounts need 1.13",
            place,
            "set deviceListStrategy: envvar, or upgrade Talos",
        )
    elif cdi and HOOK not in hook:
        yield Finding(
            f"{item} hands out cards by {cdi[0]} with a hook that Talos does not have there: containers do not start",
            place,
            f"set cdi.nvidiaHookPath: {HOOK} (NVIDIA_CDI_HOOK_PATH in its environment), or deviceListStrategy: envvar",
        )


def _given(scene: Scene, item: StackPod, variable: str, flag: str, *above: str) -> tuple[list[str], Place]:
    """Return what the plugin is told, from the environment or else from its file, and where it is told."""
    index, value = item.env().get(variable, (0, None))
    if isinstance(value, str) and value:
        return [part.strip() for part in value.split(",")], item.place("env", index, "value")
    for profile in profiles(scene, item):
        found: Json = profile.flag(*above, flag)
        listed = [text(found)] if isinstance(found, str) else strings(found)
        if listed:
            return listed, profile.file.source.place(("data", profile.file.key, "flags", *above, flag))
    return [], item.pod.owner.place(("metadata", "name"))


RULE = SceneRule("GPU708", "talos-plugin", _check)
