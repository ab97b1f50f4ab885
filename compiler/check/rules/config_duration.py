"""The interval of GPU Feature Discovery is no duration.

What it does: asks for `flags.gfd.sleepInterval` as text with a unit, or `infinite`.

Why it fails at run time: a number counts nanoseconds, so `60` labels the node sixteen million times a second and keeps
a core busy; a text without unit is refused. Source: k8s-device-plugin, api/config/v1/duration.go.

How to mend it: write the unit: `60s`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from compiler.check.pluginconfig import PluginConfig
from compiler.check.rule import ConfigRule, Finding

_ROUTE = ("flags", "gfd", "sleepInterval")
_UNIT = r"(ns|us|\u00b5s|\u03bcs|ms|s|m|h)"
_DURATION = re.compile(rf"[-+]?((\d+(\.\d*)?|\.\d+){_UNIT})+|[-+]?0")


def _check(config: PluginConfig) -> Iterator[Finding]:
    value = config.at(*_ROUTE)
    if value is None or value == "infinite":
        return
    place = config.place(_ROUTE)
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield Finding(
            f"`sleepInterval: {value}` means {value} nanoseconds: GPU Feature Discovery would keep a core busy",
            place,
            f"write its unit: {value}s",
        )
    elif not isinstance(value, str) or not _DURATION.fullmatch(value):
        yield Finding(
            "`flags.gfd.sleepInterval` must be a duration such as 60s: GPU Feature Discovery would exit",
            place,
            f"write its unit: {value}s" if isinstance(value, str) and value.isdigit() else "write, say, 60s",
        )


RULE = ConfigRule("GPU311", "config-duration", _check)
