"""A node's GPU: the PCI device that NFD's worker finds, and the devices that NVIDIA's plugin registers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from tests.e2e import container, nodes
from tests.e2e.api import Api, Obj
from tests.e2e.pods import Node
from tests.e2e.processes import Program, Programs, minimal_env

PLUGINS = "/var/lib/kubelet/device-plugins"
# What the kernel says about a GeForce RTX 5070 Ti: a display controller (class 0300) of NVIDIA (vendor 10de).
_PCI = {
    "class": "0x030000",
    "vendor": "0x10de",
    "device": "0x2c05",
    "subsystem_vendor": "0x10de",
    "subsystem_device": "0x0000",
    "numa_node": "-1",
    "resource": "0x0 0x0 0x0",
}
_CONFIG_SPACE = bytes(256)  # no capabilities, so nothing takes the card for a virtual one


def insert_card(node: Node, slot: str = "0000:01:00.0") -> None:
    """Let the node's /sys show an NVIDIA card in a PCI slot."""
    folder = node.files / "sys/bus/pci/devices" / slot
    folder.mkdir(parents=True)
    for name, value in _PCI.items():
        (folder / name).write_text(value + "\n", encoding="ascii")
    (folder / "config").write_bytes(_CONFIG_SPACE)


class DeviceManager:
    """The part of a node's kubelet that device plugins register with."""

    def __init__(self, programs: Programs, binaries: Path, node: Node) -> None:
        """Start it, and wait until its socket is there."""
        self.node = node
        sockets = node.files / PLUGINS.lstrip("/")
        sockets.mkdir(parents=True, exist_ok=True)
        self.program: Program = container.start(
            programs,
            f"device-manager-{node.name}",
            node.files.parent / "device-manager",
            [binaries / "device-manager"],
            minimal_env(),
            {PLUGINS: sockets},
        )
        self.program.wait_until(lambda: any(event["event"] == "listening" for event in self.events()), 30)

    def events(self) -> Iterator[Obj]:
        """Yield what has happened so far, oldest first; `go/nvidia/device-manager` says what there is."""
        for line in self.program.log.read_text(encoding="utf-8").splitlines():
            if line.startswith("{"):
                yield json.loads(line)

    def devices(self, resource: str = nodes.GPU) -> list[str] | None:
        """Return the identifiers of the healthy devices of a resource, sorted; None before any plugin registered it."""
        found = None
        for event in self.events():
            if event.get("resource") == resource and event["event"] == "devices":
                found = event["healthy"]
            elif event.get("resource") == resource and event["event"] == "gone":
                found = []
        return found

    def container_env(self, resource: str = nodes.GPU) -> dict[str, str] | None:
        """Return the environment that the plugin gives to a container which gets a device; None before it was asked."""
        found = None
        for event in self.events():
            if event["event"] == "allocated" and event.get("resource") == resource:
                found = event.get("envs", {})
        return found

    def counts(self) -> dict[str, int]:
        """Return the number of healthy devices of every resource that a plugin ever registered."""
        found: dict[str, int] = {}
        for event in self.events():
            if event["event"] == "devices":
                found[event["resource"]] = len(event["healthy"])
            elif event["event"] == "gone":
                found[event["resource"]] = 0
        return found

    def report(self, api: Api, resource: str = nodes.GPU) -> int | None:
        """Put the number of healthy devices onto the node's status, as the kubelet does, and return it."""
        count = self.counts().get(resource)
        nodes.report(api, self.node.name, count, resource)
        return count
