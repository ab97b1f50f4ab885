"""Tells the programs of the GPU stack by command and image, whatever their objects are called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from posixpath import basename

from compiler.check.objects.plain import items, mapping, strings, text
from compiler.check.scene import PodTemplate, Route, Scene, pod_templates
from compiler.diagnostics import Place
from compiler.objects import Json, Obj

GPU_PREFIX = "nvidia.com/"


class Program(Enum):
    """A program of the stack, by the name that people know it by."""

    PLUGIN = "device plugin"
    GFD = "GPU Feature Discovery"
    MPS = "MPS control daemon"
    CONFIG_MANAGER = "config-manager"
    EXPORTER = "DCGM exporter"
    NFD_WORKER = "NFD worker"
    NFD_MASTER = "NFD master"
    NFD_GC = "NFD garbage collector"
    OPERATOR = "GPU Operator"


NEEDS_NVML = frozenset({Program.PLUGIN, Program.GFD, Program.MPS, Program.EXPORTER})
_COMMANDS = {
    "nvidia-device-plugin": Program.PLUGIN,
    "gpu-feature-discovery": Program.GFD,
    "mps-control-daemon": Program.MPS,
    "config-manager": Program.CONFIG_MANAGER,
    "dcgm-exporter": Program.EXPORTER,
    "nfd-worker": Program.NFD_WORKER,
    "nfd-master": Program.NFD_MASTER,
    "nfd-gc": Program.NFD_GC,
    "gpu-operator": Program.OPERATOR,
}
# What an image runs where the container names no command.
_IMAGES = {
    "k8s-device-plugin": Program.PLUGIN,
    "gpu-feature-discovery": Program.GFD,
    "dcgm-exporter": Program.EXPORTER,
    "gpu-operator": Program.OPERATOR,
}
_OTHER_VENDORS = ("rocm/", "amd/", "intel/")


@dataclass(frozen=True)
class StackPod:
    """A pod of the GPU stack: which program it is for, and the container that runs it."""

    program: Program
    pod: PodTemplate
    route: Route
    container: Obj

    def __str__(self) -> str:
        return f"{self.pod.owner.kind} {self.pod.owner.name} ({self.program.value})"

    @property
    def namespace(self) -> str:
        """The namespace that the pod runs in."""
        return self.pod.owner.namespace

    def place(self, *route: str | int, key: bool = False) -> Place:
        """Return the place of a field of the container."""
        return self.pod.place(*self.route, *route, key=key)

    def env(self) -> dict[str, tuple[int, Json]]:
        """Return the container's variables by name: index in the list, and the value if it is written there."""
        return env_of(self.container)

    def argument(self, *flags: str) -> str | None:
        """Return the value of the first of some flags that the container's command line has, without dashes."""
        words = [*strings(self.container.get("command")), *strings(self.container.get("args"))]
        for number, word in enumerate(words):
            name, given, value = word.lstrip("-").partition("=")
            if word.startswith("-") and name in flags:
                return value if given else (words[number + 1] if number + 1 < len(words) else "")
        return None


def env_of(container: Obj) -> dict[str, tuple[int, Json]]:
    """Return a container's variables by name: index in the list, and the value if it is written there."""
    return {text(item.get("name")): (index, item.get("value")) for index, item in items(container.get("env"))}


def program_of(container: Obj) -> Program | None:
    """Return the program of the stack that a container runs, if it is one."""
    words = [*strings(container.get("command")), *strings(container.get("args"))]
    for word in (part for line in words if not line.startswith("-") for part in line.split()):
        if (program := _COMMANDS.get(basename(word))) is not None:
            return None if program is Program.NFD_MASTER and {"-prune", "--prune"} & set(words) else program
    if container.get("command"):
        return None
    image = text(container.get("image")).partition("@")[0]
    if any(vendor in image for vendor in _OTHER_VENDORS):
        return None
    return _IMAGES.get(basename(image).partition(":")[0])


def stack_pods(scene: Scene) -> tuple[StackPod, ...]:
    """Return the pods of the stack, one for each program in a pod; init containers and config-manager do not count."""
    return scene.once(_stack_pods)


def _stack_pods(scene: Scene) -> tuple[StackPod, ...]:
    return tuple(found for pod in pod_templates(scene) for found in _programs(pod))


def _programs(pod: PodTemplate) -> Iterator[StackPod]:
    for route, container in pod.containers():
        program = program_of(container) if route[0] == "containers" else None
        if program is not None and program is not Program.CONFIG_MANAGER:
            yield StackPod(program, pod, route, container)


def stack_namespaces(scene: Scene) -> frozenset[str]:
    """Return the namespaces that pods of the stack run in."""
    return scene.once(_stack_namespaces)


def _stack_namespaces(scene: Scene) -> frozenset[str]:
    return frozenset(item.namespace for item in stack_pods(scene))


def running(scene: Scene, *programs: Program) -> Iterator[StackPod]:
    """Yield the stack's pods that are for one of some programs."""
    return (item for item in stack_pods(scene) if item.program in programs)


def gpu_resources(container: Obj) -> Iterator[tuple[Route, str, Json]]:
    """Yield what a container asks for of `nvidia.com`: route in the container, resource, amount; limits first."""
    seen = set()
    for kind in ("limits", "requests"):
        for name, amount in mapping(mapping(container.get("resources")).get(kind)).items():
            if name.startswith(GPU_PREFIX) and name not in seen:
                seen.add(name)
                yield ("resources", kind, name), name, amount


@dataclass(frozen=True)
class GpuRequest:
    """A container of a workload that asks for GPUs: `route` leads to the amount, within the pod's spec."""

    pod: PodTemplate
    container_route: Route
    container: Obj
    route: Route
    resource: str
    amount: int | None


def gpu_requests(scene: Scene) -> tuple[GpuRequest, ...]:
    """Return what workloads ask for of `nvidia.com`; the stack's own pods are not workloads."""
    return scene.once(_gpu_requests)


def _gpu_requests(scene: Scene) -> tuple[GpuRequest, ...]:
    own = {id(item.pod) for item in stack_pods(scene)}
    return tuple(
        GpuRequest(pod, route, container, (*route, *within), name, whole(amount))
        for pod in pod_templates(scene)
        if id(pod) not in own
        for route, container in pod.containers()
        for within, name, amount in gpu_resources(container)
    )


def whole(amount: Json) -> int | None:
    """Return an amount of an extended resource as a number; None where it is not a whole one."""
    if isinstance(amount, int) and not isinstance(amount, bool):
        return amount
    return int(amount) if isinstance(amount, str) and amount.isascii() and amount.isdecimal() else None
