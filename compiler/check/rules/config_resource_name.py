"""A shared resource has no name, or one that the plugin refuses.

What it does: checks the names of shared resources as the plugin does: `nvidia.com/` is put in front where it is
missing, the rest is a lower-case DNS name, and 63 characters are the limit.

Why it fails at run time: the plugin exits when it reads its file (k8s-device-plugin, api/config/v1/resources.go,
NewResourceName). A name of another vendor becomes `nvidia.com/amd.com/gpu`, which is malformed.

How to mend it: name a resource that the plugin makes: nvidia.com/gpu, or nvidia.com/mig-1g.10gb and so on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from compiler.check.configkeys import spelled
from compiler.check.pluginconfig import PluginConfig
from compiler.check.rule import ConfigRule, Finding
from compiler.objects import Json

_PREFIX = "nvidia.com/"
_LONGEST = 63
_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_NAME = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_CURE = "name a resource of NVIDIA's, such as nvidia.com/gpu"


def _check(config: PluginConfig) -> Iterator[Finding]:
    for route, item in config.resources():
        if "name" not in item:
            yield Finding(f"`{spelled(route)}` lacks `name`: the device plugin would exit", config.place(route), _CURE)
            continue
        for key in ("name", "rename"):
            wrong = _wrong(item[key]) if key in item else None
            if wrong:
                yield Finding(
                    f"`{spelled((*route, key))}` {wrong}: the device plugin would exit",
                    config.place((*route, key)),
                    _CURE,
                )


def _wrong(name: Json) -> str | None:
    if not isinstance(name, str):
        return "must be text"
    full = name if name.startswith(_PREFIX) else _PREFIX + name
    if len(full) > _LONGEST:
        return f"is longer than {_LONGEST} characters"
    if _NAME.fullmatch(full.removeprefix(_PREFIX)):
        return None
    foreign = "/" in name and not name.startswith(_PREFIX)
    return f"is `{name}`, which is not NVIDIA's" if foreign else f"is `{name}`, which is no name of a resource"


RULE = ConfigRule("GPU307", "config-resource-name", _check)
