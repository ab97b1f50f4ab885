"""A sharing strategy of the plugin's configuration names no resources.

What it does: asks for a list of resources under `sharing.timeSlicing` and `sharing.mps`.

Why it fails at run time: an empty `timeSlicing`, an empty `resources` and an item that is no mapping are refused when
the plugin starts: `no resources specified` (k8s-device-plugin, api/config/v1/replicas.go). An empty `mps:` is taken for
none.

How to mend it: name what is shared: `resources: [{name: nvidia.com/gpu, replicas: 4}]`.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.configkeys import spelled
from compiler.check.pluginconfig import PluginConfig
from compiler.check.rule import ConfigRule, Finding

_EXAMPLE = "write `resources: [{name: nvidia.com/gpu, replicas: 4}]`"


def _check(config: PluginConfig) -> Iterator[Finding]:
    for key, value in config.sharing():
        if key == "mps" and value is None:
            continue
        here = ("sharing", key)
        if not isinstance(value, dict) or not value.get("resources"):
            inner = isinstance(value, dict) and "resources" in value
            yield Finding(
                f"`sharing.{key}` names no resources: the device plugin would exit",
                config.place((*here, "resources") if inner else here, key=True),
                f"{_EXAMPLE}, or leave `{key}` out",
            )
        elif not isinstance(value["resources"], list):
            yield Finding(
                f"`sharing.{key}.resources` must be a list: the device plugin would exit",
                config.place((*here, "resources")),
                _EXAMPLE,
            )
        else:
            for index, item in enumerate(value["resources"]):
                route = (*here, "resources", index)
                if not isinstance(item, dict):
                    yield Finding(
                        f"`{spelled(route)}` must be a mapping with name and replicas: the device plugin would exit",
                        config.place(route),
                        _EXAMPLE,
                    )


RULE = ConfigRule("GPU306", "config-resources", _check)
