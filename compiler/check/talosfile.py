"""What rules on Talos machine configuration read: a file's documents, in the old form and that of Talos 1.14.

Source: Talos, pkg/machinery/config/types/v1alpha1 and types/{k8s,runtime}: `machine:` with kernel, sysctls, nodeLabels,
nodeTaints and kubelet; KernelModuleConfig, SysctlConfig, KubeNodeConfig and KubeletConfig documents.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from compiler.check.rule import BaseRule
from compiler.check.scene import Locator, Route
from compiler.diagnostics import Place
from compiler.objects import Json, Obj, value_at

MODULES: Final = ("nvidia", "nvidia_uvm", "nvidia_drm", "nvidia_modeset")
NEW_KINDS: Final = frozenset({"KernelModuleConfig", "SysctlConfig", "KubeNodeConfig"})
"""Documents that Talos knows from 1.14."""


@dataclass(frozen=True)
class Piece:
    """A document of Talos configuration. `new` is its kind where it has one, as documents beside `machine:` do."""

    data: Obj = field(repr=False)
    place: Locator = field(repr=False, compare=False)
    new: str = ""

    def at(self, *route: str | int) -> Json:
        """Return the value at a route, or None."""
        return value_at(self.data, route)


class Entry(NamedTuple):
    """Something that a machine is told, and where."""

    name: str
    value: str
    place: Place


@dataclass(frozen=True)
class Schematic:
    """The system extensions that an image is to have: `siderolabs/nvidia-container-toolkit-production` and so on."""

    extensions: tuple[Entry, ...]


@dataclass(frozen=True)
class TalosFile:
    """A file of Talos configuration.

    `beside` is what the other files of the same folder say, since patches of one machine are often several. `version`
    is the release where it is known.
    """

    path: str
    pieces: tuple[Piece, ...]
    beside: tuple[Piece, ...] = ()
    schematics: tuple[Schematic, ...] = ()
    version: tuple[int, int] | None = None


class TalosRule(BaseRule[TalosFile]):
    """A rule on Talos machine configuration, patches of it and schematics."""


def modules(pieces: tuple[Piece, ...]) -> list[Entry]:
    """Return the kernel modules that are loaded; - and _ mean the same in their names."""
    found = []
    for piece in pieces:
        if piece.new == "KernelModuleConfig" and isinstance(piece.at("name"), str):
            found.append(_entry(piece, ("name",), str(piece.at("name"))))
        listed = piece.at("machine", "kernel", "modules")
        for index, item in enumerate(listed if isinstance(listed, list) else []):
            if isinstance(item, dict) and isinstance(item.get("name"), str):
                found.append(_entry(piece, ("machine", "kernel", "modules", index, "name"), item["name"]))
    return [entry._replace(name=entry.name.replace("-", "_")) for entry in found]


def sysctls(pieces: tuple[Piece, ...]) -> dict[str, str]:
    """Return the kernel parameters that are set."""
    found: dict[str, str] = {}
    for piece in pieces:
        for route in (("machine", "sysctls"), ("params",)) if piece.new in ("", "SysctlConfig") else ():
            value = piece.at(*route)
            found |= {str(key): str(item) for key, item in (value.items() if isinstance(value, dict) else ())}
    return found


def labels(piece: Piece) -> Iterator[Entry]:
    """Yield the labels that the machine gives its node."""
    yield from _pairs(piece, ("labels",) if piece.new == "KubeNodeConfig" else ("machine", "nodeLabels"))


def taints(piece: Piece) -> Iterator[Entry]:
    """Yield the taints that Talos gives the node, each with its value as `value:Effect`."""
    yield from _pairs(piece, ("taints",) if piece.new == "KubeNodeConfig" else ("machine", "nodeTaints"))


def registered_taints(piece: Piece) -> Iterator[Entry]:
    """Yield the taints that the kubelet registers with, each with its value as `value:Effect`."""
    above: Route = ("config",) if piece.new == "KubeletConfig" else ("machine", "kubelet", "extraConfig")
    listed = piece.at(*above, "registerWithTaints")
    for index, item in enumerate(listed if isinstance(listed, list) else []):
        if isinstance(item, dict):
            value = f"{item.get('value') or ''}:{item.get('effect') or ''}"
            yield _entry(piece, (*above, "registerWithTaints", index), str(item.get("key")), value)


def spelled_taint(entry: Entry) -> str:
    """Return a taint as kubectl writes it; Talos also takes an effect alone."""
    value, colon, effect = entry.value.rpartition(":")
    return f"{entry.name}={value}:{effect}" if colon and value else f"{entry.name}:{effect}"


def _pairs(piece: Piece, route: Route) -> Iterator[Entry]:
    found = piece.at(*route)
    for key, value in found.items() if isinstance(found, dict) else ():
        if isinstance(value, str | int | float):
            said = str(value).lower() if isinstance(value, bool) else str(value)
            yield Entry(str(key), said, piece.place((*route, key), key=True))


def _entry(piece: Piece, route: Route, name: str, value: str = "") -> Entry:
    return Entry(name, value, piece.place(route))
