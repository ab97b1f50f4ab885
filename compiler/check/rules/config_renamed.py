"""Workloads ask for a resource that the plugin's configuration renames.

What it does: with `renameByDefault: true`, looks for pods in sight that ask for the resource under its old name.

Why it fails at run time: the plugin advertises nvidia.com/gpu.shared instead of nvidia.com/gpu, so that those pods stay
Pending for ever. Source: k8s-device-plugin, api/config/v1/replicas.go, DefaultSharedRename.

How to mend it: let the pods ask for the new name, or set `renameByDefault: false`.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.pluginconfig import PluginConfig
from compiler.check.rule import ConfigRule, Finding
from compiler.diagnostics import Related


def _check(config: PluginConfig) -> Iterator[Finding]:
    for key, value in config.sharing():
        if not isinstance(value, dict) or value.get("renameByDefault") is not True:
            continue
        shared = [item["name"] for _, item in config.resources() if isinstance(item.get("name"), str)]
        for name in dict.fromkeys("nvidia.com/" + item.removeprefix("nvidia.com/") for item in shared):
            if name in config.requested:
                yield Finding(
                    f"`renameByDefault` makes {name}.shared out of {name}, which pods still ask for: they stay Pending",
                    config.place(("sharing", key, "renameByDefault")),
                    f"let them ask for {name}.shared, or set `renameByDefault: false`",
                    (Related("asked for here", config.requested[name]),),
                )


RULE = ConfigRule("GPU314", "config-renamed", _check)
