"""A Service selects nothing, or the pods of different workloads, or a port that is not there.

What it does: looks up the pods that a Service selects in its namespace, and each `targetPort` among their ports. A
Service without pods counts only beside pods of the stack, and where nothing else is applied.

Why it fails at run time: a Service without pods has no endpoints, one with pods of several programs scrapes or serves
the wrong one in turns, and a port name that no container declares gives no endpoint at all. Sources: k8s-device-plugin
#1085; k8s.io/kubernetes pkg/api/v1/pod, FindPort.

How to mend it: make selector and port names those of one workload's pods (one workload for each node pool is fine).
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.plain import items, mapping, text
from compiler.check.objects.programs import program_of, stack_namespaces
from compiler.check.objects.selectors import selected
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Located, PodTemplate, Scene


def _check(scene: Scene) -> Iterator[Finding]:
    for service in scene.of_kind("Service"):
        selector = mapping(service.get("spec", "selector"))
        if not selector:
            continue
        pods = selected(scene, service.namespace, {"matchLabels": selector})
        place = service.place(("spec", "selector"), key=True)
        if not pods:
            if scene.whole and service.namespace in stack_namespaces(scene):
                yield Finding(
                    f"{service} selects no pods: it has no endpoints",
                    place,
                    "select the labels of the pods' template in the same namespace",
                )
            continue
        programs = {tuple(program_of(container) for _, container in pod.containers()) for pod in pods}
        if len(programs) > 1:
            names = ", ".join(str(pod) for pod in pods)
            yield Finding(
                f"{service} selects the pods of different programs: {names}; its endpoints are a mixture",
                place,
                "add to its selector a label that only one of them has",
            )
        yield from _ports(service, pods)


def _ports(service: Located, pods: list[PodTemplate]) -> Iterator[Finding]:
    for index, port in items(service.get("spec", "ports")):
        target = port.get("targetPort")
        if not isinstance(target, str) or target.isdecimal():
            continue
        without = [pod for pod in pods if target not in port_names(pod)]
        if without:
            known = ", ".join(sorted(name for name in port_names(without[0]) if name)) or "none"
            yield Finding(
                f"{service} sends to the port {target}, which {without[0]} does not have: no endpoint",
                service.place(("spec", "ports", index, "targetPort")),
                f"its named ports: {known}",
            )


def port_names(pod: PodTemplate) -> set[str]:
    """Return the names of a pod's ports."""
    return {
        text(port.get("name")) for _, container in pod.containers() for _, port in items(container.get("ports"))
    } - {""}


RULE = SceneRule("GPU211", "service-selects", _check)
