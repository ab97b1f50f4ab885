"""The plugin's configuration is of a version that the plugin does not know.

What it does: asks for `version: v1` where a version is named.

Why it fails at run time: any other version is refused when the plugin starts; only a missing one counts as v1.
Source: k8s-device-plugin, api/config/v1/config.go, parseConfigFrom.

How to mend it: write `version: v1`.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.pluginconfig import PluginConfig
from compiler.check.rule import ConfigRule, Finding


def _check(config: PluginConfig) -> Iterator[Finding]:
    version = config.at("version")
    if version not in (None, "", "v1"):
        yield Finding(
            f"the plugin's configuration has version {version}: the plugin knows v1 alone, and exits",
            config.place(("version",)),
            "write `version: v1`",
        )


RULE = ConfigRule("GPU302", "config-version", _check)
