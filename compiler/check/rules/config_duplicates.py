"""A resource is shared twice in the plugin's configuration.

What it does: refuses a resource that two items under one strategy name; `gpu` and `nvidia.com/gpu` are the same.

Why it fails at run time: the plugin takes both. Their replicas get the same identifiers, so the larger number wins in
silence, whichever was meant. Source: k8s-device-plugin, internal/rm/device_map.go, updateDeviceMapWithReplicas.

How to mend it: delete one of the two.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.pluginconfig import PluginConfig
from compiler.check.rule import ConfigRule, Finding
from compiler.check.scene import Route
from compiler.diagnostics import Related


def _check(config: PluginConfig) -> Iterator[Finding]:
    first: dict[tuple[str, str], Route] = {}
    for route, item in config.resources():
        if not isinstance(item.get("name"), str):
            continue
        name = "nvidia.com/" + item["name"].removeprefix("nvidia.com/")
        earlier = first.setdefault((str(route[1]), name), route)
        if earlier != route:
            yield Finding(
                f"{name} is shared twice: the larger number of replicas wins, whichever was meant",
                config.place((*route, "name")),
                "delete one of the two",
                (Related("shared here first", config.place((*earlier, "name"))),),
            )


RULE = ConfigRule("GPU309", "config-duplicates", _check)
