"""The device plugin cannot read its configuration.

What it does: refuses a configuration that is no YAML, or no mapping.

Why it fails at run time: the device plugin, GPU Feature Discovery and the MPS daemon exit when they start
(k8s-device-plugin, api/config/v1/config.go, parseConfigFrom), so nothing is advertised.

How to mend it: mend the syntax. A configuration is a mapping with `version: v1`, `flags` and `sharing`.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.pluginconfig import PluginConfig
from compiler.check.rule import ConfigRule, Finding


def _check(config: PluginConfig) -> Iterator[Finding]:
    if config.unreadable is not None:
        yield Finding(
            f"{config.what} is not readable: {config.unreadable}; the device plugin would exit",
            config.place(()),
            "mend it; a configuration is a mapping: `version: v1`, then `flags` and `sharing`",
        )
    elif config.data is not None and not isinstance(config.data, dict):
        yield Finding(
            f"{config.what} is not a mapping: the device plugin would exit",
            config.place(()),
            "begin with `version: v1`, then `flags` and `sharing`",
        )


RULE = ConfigRule("GPU301", "config-readable", _check)
