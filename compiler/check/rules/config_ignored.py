"""A setting of the plugin's configuration that the plugin reads and then drops.

What it does: refuses `resources` (resource types by product name), and `rename` and `devices` of a shared resource.

Why it fails at run time: the plugin logs that they are not yet supported and ignores them, so that workloads ask for a
resource that never exists. `resources` without a pattern makes it exit. Source: k8s-device-plugin,
api/config/v1/config.go, DisableResourceNamingInConfig.

How to mend it: delete it. Nodes with different cards are told apart by node pools and labels; `renameByDefault: true`
is the one way of renaming.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.configkeys import spelled
from compiler.check.pluginconfig import PluginConfig
from compiler.check.rule import ConfigRule, Finding


def _check(config: PluginConfig) -> Iterator[Finding]:
    for key in ("gpus", "mig"):
        if config.at("resources", key):
            yield Finding(
                f"`resources.{key}` is ignored: no resource of that name will exist, and pods that ask for it stay "
                "Pending",
                config.place(("resources", key), key=True),
                "delete it; tell cards apart by node pools and the label nvidia.com/gpu.product",
            )
    for route, item in config.resources():
        renamed = config.at(*route[:2], "renameByDefault") is True
        usual = f"{item.get('name')}.shared".removeprefix("nvidia.com/")
        rename = str(item.get("rename") or "").removeprefix("nvidia.com/")
        if rename and "/" not in rename and not (renamed and rename == usual):
            yield Finding(
                f"`{spelled((*route, 'rename'))}` is ignored: the resource keeps its name",
                config.place((*route, "rename"), key=True),
                "delete it; `renameByDefault: true` adds `.shared`",
            )
        if isinstance(item.get("devices"), int | list):
            yield Finding(
                f"`{spelled((*route, 'devices'))}` is ignored: every card of the node is shared",
                config.place((*route, "devices"), key=True),
                "delete it; put nodes that differ into node pools of their own",
            )


RULE = ConfigRule("GPU310", "config-ignored", _check)
