"""The machines behind the nodes: what a kubelet would run there is run for real, as far as it is built here.

`step` is one turn of a kubelet's loop. Facts are asked with it going on beside them (`Evidence.meanwhile`), so a pod
that the scheduler places starts its container, one that is deleted ends it, and the node says what the device plugin
lists.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from tests.e2e import nodes, nvidia
from tests.e2e.api import Obj
from tests.e2e.cluster import Cluster
from tests.e2e.nvidia import DeviceManager
from tests.e2e.pods import Kubelet
from tests.e2e.processes import Program

Container = tuple[str, str]
"""The UID of a pod, and the name of a container of it."""


@dataclass
class _Machine:
    kubelet: Kubelet
    manager: DeviceManager
    running: dict[Container, Program] = field(default_factory=dict)
    reported: dict[str, int] = field(default_factory=dict)


class Machines:
    """Machines that run the pods of some namespaces, for as long as the `with` block lasts."""

    def __init__(self, cluster: Cluster, names: Iterable[str], namespaces: Iterable[str]) -> None:
        """Switch the machines of these nodes on, without a card, with the part of a kubelet that plugins talk to."""
        self._cluster = cluster
        self._namespaces = tuple(namespaces)
        self._held: set[tuple[str, str]] = set()
        self._machines: dict[str, _Machine] = {}
        for name in names:
            kubelet = cluster.machine(name)
            manager = DeviceManager(cluster.programs, cluster.binaries, kubelet.node)
            self._machines[name] = _Machine(kubelet, manager)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Switch the machines off: their nodes know nothing of a device any more."""
        for name, machine in self._machines.items():
            for program in [*machine.running.values(), machine.manager.program]:
                self._cluster.programs.stop(program, grace_s=0)
            for resource in machine.reported:
                nodes.report(self._cluster.api, name, None, resource)

    def insert_card(self, name: str) -> None:
        """Put a card into a machine, which takes switching it off and on: its containers start anew."""
        machine = self._machines[name]
        nvidia.insert_card(machine.kubelet.node)
        while machine.running:
            _, program = machine.running.popitem()
            self._cluster.programs.stop(program, grace_s=0)

    def manager(self, name: str) -> DeviceManager:
        """Return what device plugins of a machine register with."""
        return self._machines[name].manager

    def hold(self, node: str, container: str) -> None:
        """From now on keep a container from running on a node, as where its program crashes."""
        self._held.add((node, container))

    def release(self, node: str, container: str) -> None:
        """Let a container run again."""
        self._held.remove((node, container))

    def step(self) -> None:
        """Start and stop containers, and report devices, until machines and cluster agree.

        Raises:
            LookupError: a pod refers to something that does not exist.
        """
        pods = [pod for one in self._namespaces for pod in self._cluster.api.find("v1", "Pod", one)]
        for name, machine in self._machines.items():
            wanted = {
                (pod["metadata"]["uid"], container["name"]): (pod, container)
                for pod in pods
                if pod["spec"].get("nodeName") == name and _runs(pod)
                for container in pod["spec"]["containers"]
                if machine.kubelet.builds(container) and (name, container["name"]) not in self._held
            }
            for gone in machine.running.keys() - wanted.keys():
                self._cluster.programs.stop(machine.running.pop(gone), grace_s=1)
            for new in wanted.keys() - machine.running.keys():
                machine.running[new] = machine.kubelet.start(*wanted[new])
            self._report(name, machine)

    def _report(self, name: str, machine: _Machine) -> None:
        for resource, count in machine.manager.counts().items():
            if machine.reported.get(resource) != count:
                nodes.report(self._cluster.api, name, count, resource)
                machine.reported[resource] = count


def _runs(pod: Obj) -> bool:
    return pod["status"].get("phase") == "Running" and "deletionTimestamp" not in pod["metadata"]
