"""The device plugin lacks SYS_ADMIN for what it is configured to do.

What it does: where the list strategy contains volume-mounts, or a MIG strategy is possible, asks for the capability
SYS_ADMIN or for a privileged container.

Why it fails at run time: with volume-mounts the toolkit gives all devices to privileged containers only, and NVML fails
with ERROR_LIBRARY_NOT_FOUND; with MIG the plugin may not read the capabilities of the instances. With migStrategy none
and envvar it runs with all capabilities dropped. Source: k8s-device-plugin#856 and its chart's _helpers.tpl.

How to mend it: add SYS_ADMIN, or use deviceListStrategy envvar.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.plain import mapping, strings, text
from compiler.check.objects.plugin import profiles
from compiler.check.objects.programs import Program, StackPod, running
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene


def _check(scene: Scene) -> Iterator[Finding]:
    for item in running(scene, Program.PLUGIN):
        context = mapping(item.container.get("securityContext"))
        added = strings(mapping(context.get("capabilities")).get("add"))
        if context.get("privileged") is True or {"SYS_ADMIN", "CAP_SYS_ADMIN", "ALL"} & set(added):
            continue
        if why := _why(scene, item):
            here = ("securityContext",) if context else ("name",)
            yield Finding(
                f"{item} uses {why} without SYS_ADMIN: NVML fails in its container, and no GPU is advertised",
                item.place(*here, key=bool(context)),
                "add SYS_ADMIN under securityContext.capabilities.add (and no allowPrivilegeEscalation), or use "
                "deviceListStrategy envvar",
            )


def _why(scene: Scene, item: StackPod) -> str | None:
    env = {name: text(value) for name, (_, value) in item.env().items()}
    listed = [env.get("DEVICE_LIST_STRATEGY", "")]
    mig = [env.get("MIG_STRATEGY", "")]
    for profile in profiles(scene, item):
        given = profile.flag("plugin", "deviceListStrategy")
        listed += strings(given) if isinstance(given, list) else [text(given)]
        mig.append(text(profile.flag("migStrategy")))
    if env.get("DEVICE_LIST_STRATEGY"):
        listed = listed[:1]
    if env.get("MIG_STRATEGY"):
        mig = mig[:1]
    if any("volume-mounts" in part.split(",") for part in listed):
        return "the list strategy volume-mounts"
    return next((f"migStrategy {part}" for part in mig if part in {"single", "mixed"}), None)


RULE = SceneRule("GPU236", "sys-admin-needed", _check)
