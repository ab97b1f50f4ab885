"""A ServiceMonitor selects no Service, several, or a port that is not there.

What it does: looks up the Services that a ServiceMonitor selects in the namespaces it names, and the port of each
endpoint among theirs. A monitor without Services counts where its labels match a Service elsewhere, or beside pods of
the stack.

Why it fails at run time: the operator makes a scrape job without targets, and nobody hears of it. `port` is the
Service's port by name; a number or the container's name there finds nothing. Sources: gpu-operator#363;
prometheus-operator's API reference.

How to mend it: select the labels of the Service itself, and name one of its ports.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.plain import items, mapping, strings, text, texts
from compiler.check.objects.programs import stack_namespaces
from compiler.check.objects.selectors import matches
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Located, Scene


def services_of(scene: Scene, monitor: Located) -> list[Located]:
    """Return the Services that a ServiceMonitor selects."""
    where = mapping(monitor.get("spec", "namespaceSelector"))
    names = None if where.get("any") is True else (strings(where.get("matchNames")) or [monitor.namespace])
    return [
        service
        for service in scene.of_kind("Service")
        if (names is None or service.namespace in names)
        and matches(monitor.get("spec", "selector"), texts(service.get("metadata", "labels")))
    ]


def _check(scene: Scene) -> Iterator[Finding]:
    for monitor in scene.of_kind("ServiceMonitor"):
        found = services_of(scene, monitor)
        place = monitor.place(("spec", "selector"), key=True)
        elsewhere = [] if found else _elsewhere(scene, monitor)
        if elsewhere or (not found and scene.whole and monitor.namespace in stack_namespaces(scene)):
            cure = (
                f"add the namespace to namespaceSelector.matchNames: {elsewhere[0].namespace}"
                if elsewhere
                else "select labels of the Service's own metadata"
            )
            yield Finding(f"{monitor} selects no Service: nothing is scraped, and nobody says so", place, cure)
        selectors = {str(sorted(texts(service.get("spec", "selector")).items())) for service in found}
        if len(selectors) > 1:
            names = ", ".join(service.name for service in found)
            yield Finding(
                f"{monitor} selects Services of different workloads ({names}): it scrapes all of them",
                place,
                "add to its selector a label that only one of them has",
            )
        yield from _ports(monitor, found)


def _elsewhere(scene: Scene, monitor: Located) -> list[Located]:
    """Return the Services of other namespaces that the monitor's labels match."""
    selector = mapping(monitor.get("spec", "selector"))
    if not selector:
        return []
    return [
        service for service in scene.of_kind("Service") if matches(selector, texts(service.get("metadata", "labels")))
    ]


def _ports(monitor: Located, services: list[Located]) -> Iterator[Finding]:
    known = {text(port.get("name")) for service in services for _, port in items(service.get("spec", "ports"))}
    for index, endpoint in items(monitor.get("spec", "endpoints")):
        port = endpoint.get("port")
        if services and isinstance(port, str | int) and port not in known:
            yield Finding(
                f"{monitor} scrapes the port {port}, which its Service does not have: the job has no targets",
                monitor.place(("spec", "endpoints", index, "port")),
                f"name one of the Service's ports: {', '.join(sorted(known - {''})) or 'give it a name first'}",
            )


RULE = SceneRule("GPU212", "service-monitor-selects", _check)
