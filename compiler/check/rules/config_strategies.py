"""A strategy in the plugin's configuration that does not exist.

What it does: compares migStrategy, deviceDiscoveryStrategy, deviceListStrategy and deviceIDStrategy with what the
plugin knows.

Why it fails at run time: the file is accepted and the plugin exits right after, when it checks its flags. Several list
strategies are a YAML list in the file; joined by commas, as in the environment, they are one unknown strategy.
Source: k8s-device-plugin, cmd/nvidia-device-plugin/main.go, validateFlags; api/config/v1/strategy.go.

How to mend it: write one of the strategies that the message lists.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.configkeys import STRATEGIES, spelled
from compiler.check.pluginconfig import PluginConfig
from compiler.check.rule import ConfigRule, Finding
from compiler.model.describe import suggest


def _check(config: PluginConfig) -> Iterator[Finding]:
    for route, known in STRATEGIES.items():
        value = config.at(*route)
        listed = route[-1] == "deviceListStrategy" and isinstance(value, list)
        items = list(enumerate(value)) if listed else [(None, value)]
        for index, item in items:
            if not isinstance(item, str) or item in known:
                continue
            parts = [part.strip() for part in item.split(",")]
            if route[-1] == "deviceListStrategy" and len(parts) > 1 and set(parts) <= set(known):
                cure = f"write a list: [{', '.join(parts)}]"
            else:
                meant = suggest(item, list(known))
                cure = f"did you mean `{meant}`?" if meant else f"there are: {', '.join(known)}"
            yield Finding(
                f"`{spelled(route)}` is `{item}`, which the plugin accepts in its file and exits on",
                config.place(route if index is None else (*route, index)),
                cure,
            )


RULE = ConfigRule("GPU312", "config-strategies", _check)
