"""A value of the plugin's configuration is of the wrong type.

What it does: compares every value with the type that the plugin decodes it into.

Why it fails at run time: Go decodes strictly by type: `"true"` is no boolean and `4.5` no whole number, and the plugin
exits when it reads its file. Source: k8s-device-plugin, api/config/v1; sigs.k8s.io/yaml, Unmarshal.

How to mend it: write the value as the kind that the message names.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.configkeys import Entry, Kind, entries, spelled
from compiler.check.pluginconfig import PluginConfig
from compiler.check.rule import ConfigRule, Finding
from compiler.objects import Json

_BOOLEAN_WORDS = frozenset({"yes", "no", "on", "off", "y", "n"})
"""Unquoted, Kubernetes' YAML 1.1 reader takes these for booleans, and so does the plugin's."""


def _check(config: PluginConfig) -> Iterator[Finding]:
    for entry in entries(config):
        # Replicas, durations, `version` and the lists of shared resources have rules of their own.
        if entry.kind in (None, "duration") or entry.key in {"replicas", "version"} or entry.value is None:
            continue
        if entry.route[0] == "sharing" and entry.key in {"timeSlicing", "mps", "resources", "name"}:
            continue
        if not _fits(entry, config):
            yield Finding(
                f"`{spelled(entry.route)}` must be {_ARTICLE[entry.kind]}: the device plugin would exit",
                config.place(entry.route),
                _cure(entry),
            )


_ARTICLE: dict[Kind | None, str] = {
    "text": "text",
    "boolean": "true or false",
    "whole number": "a whole number",
    "mapping": "a mapping",
    "list": "a list",
    "strategies": "text, or a list of it",
    "devices": '"all", a number of devices, or a list of indexes and UUIDs',
}


def _fits(entry: Entry, config: PluginConfig) -> bool:
    value = entry.value
    if entry.kind == "text":
        return isinstance(value, str) and not _is_unquoted_boolean(entry, config)
    if entry.kind == "boolean":
        return isinstance(value, bool) or _is_unquoted_boolean(entry, config)
    if entry.kind == "mapping":
        return isinstance(value, dict)
    if entry.kind == "list":
        return isinstance(value, list)
    if entry.kind == "strategies":
        return isinstance(value, str) or (isinstance(value, list) and all(isinstance(item, str) for item in value))
    return _are_devices(value)


def _is_unquoted_boolean(entry: Entry, config: PluginConfig) -> bool:
    if not isinstance(entry.value, str) or entry.value.lower() not in _BOOLEAN_WORDS:
        return False
    place = config.place(entry.route)
    return place.text[place.column - 1 : place.column - 1 + len(entry.value)] == entry.value


def _are_devices(value: Json) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, str | int) and not isinstance(item, bool) for item in value)
    return value == "all" or (isinstance(value, int) and not isinstance(value, bool) and value > 0)


def _cure(entry: Entry) -> str:
    value = entry.value
    if entry.kind == "boolean" and isinstance(value, str) and value.lower() in {"true", "false"}:
        return f"write it without the quotes: {value.lower()}"
    if entry.kind == "text" and not isinstance(value, dict | list):
        return "write it in quotes"
    return f"write {_ARTICLE[entry.kind]}"


RULE = ConfigRule("GPU304", "config-types", _check)
