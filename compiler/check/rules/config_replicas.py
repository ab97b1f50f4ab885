"""The number of replicas of a shared resource is missing, below 2, or no whole number.

What it does: asks for `replicas`, a whole number from 2, for every resource under `sharing`.

Why it fails at run time: the plugin refuses the whole file when it starts: `number of replicas must be >= 2`
(k8s-device-plugin, api/config/v1/replicas.go). 1 is refused too; people report it as k8s-device-plugin#1022.

How to mend it: write how many pods may share a card, 2 or more; for one pod a card leave `sharing` out.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.configkeys import spelled
from compiler.check.pluginconfig import PluginConfig
from compiler.check.rule import ConfigRule, Finding

_FEWEST = 2


def _check(config: PluginConfig) -> Iterator[Finding]:
    for route, item in config.resources():
        if "replicas" not in item:
            yield Finding(
                f"`{spelled(route)}` lacks `replicas`: the device plugin would exit",
                config.place(route),
                "add `replicas`, 2 or more",
            )
            continue
        replicas = item["replicas"]
        whole = isinstance(replicas, int | float) and not isinstance(replicas, bool) and replicas == int(replicas)
        if not whole or replicas < _FEWEST:
            shown = "empty" if replicas is None else replicas
            yield Finding(
                f"`{spelled(route)}.replicas` must be a whole number from 2, not {shown}: the device plugin would exit",
                config.place((*route, "replicas")),
                "for one pod a card leave `sharing` out" if whole else "write a whole number, 2 or more, unquoted",
            )


RULE = ConfigRule("GPU305", "config-replicas", _check)
