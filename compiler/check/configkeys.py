"""The keys of the device plugin's configuration file, version v1, and what their values must be.

Source: k8s-device-plugin, api/config/v1: config.go, flags.go, replicas.go, resources.go, imex.go. Where upstream
decodes into Go structs, keys match in any case; where it decodes by hand (`exact`), they must match exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from compiler.check.pluginconfig import PluginConfig
from compiler.check.scene import Route
from compiler.objects import Json

Kind = Literal["text", "boolean", "whole number", "mapping", "list", "duration", "strategies", "devices"]


@dataclass(frozen=True)
class Level:
    """A mapping of the file: its keys, each with the kind of its value, and the levels below it."""

    keys: dict[str, Kind]
    below: dict[str, Level] = field(default_factory=dict)
    exact: bool = False


_RESOURCE = Level({"name": "text", "rename": "text", "devices": "devices", "replicas": "whole number"}, exact=True)
_SHARED = Level(
    {"renameByDefault": "boolean", "failRequestsGreaterThanOne": "boolean", "resources": "list"},
    {"resources": _RESOURCE},
    exact=True,
)
_TYPED = Level({"pattern": "text", "name": "text"}, exact=True)
_PLUGIN = Level(
    {
        "passDeviceSpecs": "boolean",
        "deviceListStrategy": "strategies",
        "deviceIDStrategy": "text",
        "cdiAnnotationPrefix": "text",
        "nvidiaCTKPath": "text",
        "containerDriverRoot": "text",
    }
)
_GFD = Level(
    {
        "oneshot": "boolean",
        "noTimestamp": "boolean",
        "sleepInterval": "duration",
        "outputFile": "text",
        "machineTypeFile": "text",
    }
)
_FLAGS = Level(
    {
        "migStrategy": "text",
        "failOnInitError": "boolean",
        "mpsRoot": "text",
        "nvidiaDriverRoot": "text",
        "nvidiaDevRoot": "text",
        "gdrcopyEnabled": "boolean",
        "gdsEnabled": "boolean",
        "mofedEnabled": "boolean",
        "useNodeFeatureAPI": "boolean",
        "deviceDiscoveryStrategy": "text",
        "plugin": "mapping",
        "gfd": "mapping",
    },
    {"plugin": _PLUGIN, "gfd": _GFD},
)
FILE = Level(
    {"version": "text", "flags": "mapping", "resources": "mapping", "sharing": "mapping", "imex": "mapping"},
    {
        "flags": _FLAGS,
        "resources": Level({"gpus": "list", "mig": "list"}, {"gpus": _TYPED, "mig": _TYPED}),
        "sharing": Level({"timeSlicing": "mapping", "mps": "mapping"}, {"timeSlicing": _SHARED, "mps": _SHARED}),
        "imex": Level({"channelIDs": "list", "required": "boolean"}),
    },
)
STRATEGIES: dict[Route, tuple[str, ...]] = {
    ("flags", "migStrategy"): ("none", "single", "mixed"),
    ("flags", "deviceDiscoveryStrategy"): ("auto", "nvml", "tegra"),
    ("flags", "plugin", "deviceIDStrategy"): ("uuid", "index"),
    ("flags", "plugin", "deviceListStrategy"): ("envvar", "volume-mounts", "cdi-annotations", "cdi-cri"),
}
"""Values that the plugin takes; any other it accepts when it reads the file, and exits on afterwards."""


@dataclass(frozen=True)
class Entry:
    """A key that somebody wrote: its level, its route, its value, and what the level says of it (None: unknown)."""

    level: Level
    route: Route
    value: Json
    kind: Kind | None

    @property
    def key(self) -> str:
        """The key itself."""
        return str(self.route[-1])

    @property
    def same_but_for_case(self) -> str | None:
        """The known key that differs from this one in upper and lower case only."""
        return next((key for key in self.level.keys if key.lower() == self.key.lower()), None)


def entries(config: PluginConfig) -> Iterator[Entry]:
    """Yield every key of a configuration, parents first; what stands below an unknown key is left out."""
    yield from _entries(FILE, config.data, ())


def _entries(level: Level, value: Json, route: Route) -> Iterator[Entry]:
    if not isinstance(value, dict):
        return
    for key, inner in value.items():
        yield Entry(level, (*route, key), inner, level.keys.get(key))
        if key not in level.below:
            continue
        if level.keys[key] == "list":
            for index, item in enumerate(inner if isinstance(inner, list) else []):
                yield from _entries(level.below[key], item, (*route, key, index))
        else:
            yield from _entries(level.below[key], inner, (*route, key))


def homes(key: str) -> list[str]:
    """Return the paths below which the file does have a key, the likeliest first: `sharing.timeSlicing`."""
    return sorted(_homes(FILE, key, ""), key=lambda path: (path.count("."), "mps" in path, path))


def _homes(level: Level, key: str, path: str) -> Iterator[str]:
    if key in level.keys and path:
        yield path
    for name, below in level.below.items():
        listed = "[]" if level.keys[name] == "list" else ""
        yield from _homes(below, key, f"{path}.{name}{listed}" if path else name + listed)


def spelled(route: Route) -> str:
    """Spell a route as people write it: `sharing.timeSlicing.resources[0].replicas`."""
    text = ""
    for segment in route:
        text += f"[{segment}]" if isinstance(segment, int) else f".{segment}" if text else str(segment)
    return text
