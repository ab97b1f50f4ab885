"""A variable contradicts the configuration file beside it.

What it does: compares the environment of the device plugin and GPU Feature Discovery with the flags in the
configuration that they read.

Why it matters: the environment beats the file. Whoever edits the file sees no effect, and the plugin and GPU Feature
Discovery can end up with different settings. Source: k8s-device-plugin, cmd/nvidia-device-plugin/main.go and
api/config/v1/config.go.

How to mend it: keep the setting in one of the two places.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.plain import strings
from compiler.check.objects.plugin import Profile, profiles
from compiler.check.objects.programs import Program, running
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene
from compiler.diagnostics import Related, Severity
from compiler.model import variables
from compiler.objects import Json

_PROGRAMS = {Program.PLUGIN: variables.DEVICE_PLUGIN, Program.GFD: variables.GPU_FEATURE_DISCOVERY}


def _check(scene: Scene) -> Iterator[Finding]:
    for item in running(scene, *_PROGRAMS):
        env = item.env()
        for name, route in variables.CONFIG_ROUTES.items():
            index, value = env.get(name, (0, None))
            if not isinstance(value, str) or not value or name not in _PROGRAMS[item.program]:
                continue
            for profile in profiles(scene, item):
                given = profile.at(*route)
                if given is not None and _plain(given) != _plain(value):
                    yield Finding(
                        f"{item} is given {name}={value}, but {_shown(profile)} says {'.'.join(route[1:])}: "
                        f"{_plain(given)}; the variable wins",
                        item.place("env", index, "value"),
                        "delete the variable, or the flag in the file",
                        (Related("the file", profile.file.place()),),
                    )
                    break


def _shown(profile: Profile) -> str:
    return f"its configuration {profile.file.source.name}/{profile.file.key}"


def _plain(value: Json) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(strings(value)) if isinstance(value, list) else str(value)


RULE = SceneRule("GPU238", "environment-agrees", _check, Severity.WARNING)
