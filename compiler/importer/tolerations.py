"""Tolerations, from which the taints of the nodes can be told."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Final

from pydantic import ValidationError

from compiler.check.chartvalues import ChartValues, Setting
from compiler.check.scene import Route
from compiler.importer.handlers import Handler
from compiler.importer.report import Outcome, Target, in_overlay
from compiler.importer.state import Import
from compiler.model.kube import Taint, Toleration
from compiler.objects import Json

# Tolerations that charts and platforms bring by themselves, which tell nothing of the GPU nodes.
_USUAL: Final = ("CriticalAddonsOnly", "node-role.kubernetes.io/")
_ON_GPU_NODES: Final[tuple[Route, ...]] = (("devicePlugin",), ("gpuFeatureDiscovery",), ("dcgmExporter",))
_WORKER: Final[Route] = ("nodeFeatureDiscovery", "worker", "tolerations")
_WORKER_TOO: Final = (
    "NFD's worker gets it too: without it a node with such a taint gets no label. Workloads tolerate only what the "
    "pool's `taints` say: if the nodes have the taint, name it with its value by --taint"
)


def read_toleration(item: Json) -> Toleration | None:
    """Return a toleration as Kubernetes would read it, or None."""
    try:
        return Toleration.model_validate_json(json.dumps(item))
    except (ValidationError, ValueError):
        return None


def tells_taint(item: Toleration) -> Taint | None:
    """Return the taint that nodes most likely have where somebody wrote a toleration."""
    usual = item.key is None or item.key.startswith(_USUAL)
    if (
        usual
        or item.operator != "Equal"
        or not item.value
        or item.effect is None
        or item.toleration_seconds is not None
    ):
        return None
    return Taint(key=str(item.key), value=item.value, effect=item.effect)


def tolerations(*targets: Route) -> Handler:
    """Return a handler for a list of tolerations of the component at `targets`."""

    def handle(state: Import, values: ChartValues, setting: Setting) -> None:
        items = setting.value if isinstance(setting.value, list) else []
        if not items:
            state.add(values, setting.route, setting.value, Outcome.DEFAULT, "empty: gpuc tolerates the pools' taints")
        for index, item in enumerate(items):
            _one(state, values, (*setting.route, index), item, targets)

    return handle


def _one(state: Import, values: ChartValues, route: Route, item: Json, targets: tuple[Route, ...]) -> None:
    read = read_toleration(item)
    if read is None:
        state.add(
            values,
            route,
            item,
            Outcome.WRONG,
            "is no toleration: the API server refuses the pod",
            "write key, operator, value and effect; operator Exists takes no value, Equal needs one",
        )
        return
    # The first half spares looking through all of them.
    if tells_taint(read) in state.taints or any(read.covers(taint) for taint in state.taints):
        why = "gpuc tolerates the pool's taints everywhere, NFD's worker included"
        told = tells_taint(read) in state.taints and not state.choices.taints
        where: tuple[Target, ...] = in_overlay("nodePools", 0, "taints") if told else ()
        outcome = Outcome.TRANSLATED if told else Outcome.DEFAULT
        said = f"taken for a taint of the nodes: {why}" if told else why
        state.add(values, route, item, outcome, said, targets=where)
        return
    for target in targets:
        _tolerate(state, target, item)
    state.add(values, route, item, Outcome.TRANSLATED, "", targets=tuple(("stack", target) for target in targets))


def share_tolerations(state: Import) -> None:
    """Give NFD's worker, and the exporter, what the plugin tolerates beyond the pools' taints.

    Such a toleration does not tell the taint, but it tells that the plugin runs on nodes with it: there the worker has
    to run first, and the exporter counts those cards.
    """
    external = state.draft.get("stack", ("nodeFeatureDiscovery", "managed")) == "external"
    for index, entry in enumerate(state.report.entries):
        routes = [route for which, route in entry.targets if which == "stack" and route[1:] == ("tolerations",)]
        if entry.outcome is not Outcome.TRANSLATED or not any(route[:1] in _ON_GPU_NODES for route in routes):
            continue
        more: list[Route] = [] if external else [_WORKER]
        if ("devicePlugin", "tolerations") in routes and state.draft.get("stack", ("dcgmExporter",)) is not None:
            more.append(("dcgmExporter", "tolerations"))
        for target in more:
            _tolerate(state, target, entry.value)
        changed = replace(entry, targets=(*entry.targets, *(("stack", target) for target in more)))
        state.report.entries[index] = changed if external else replace(changed, why=_WORKER_TOO)


def _tolerate(state: Import, target: Route, item: Json) -> None:
    already = state.draft.get("stack", target) or []
    if item not in already:
        state.draft.put("stack", target, [*already, item])
