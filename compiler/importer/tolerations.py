"""Tolerations, from which the taints of the nodes can be told."""

from __future__ import annotations

import json
from typing import Final

from pydantic import ValidationError

from compiler.check.chartvalues import ChartValues, Setting
from compiler.check.scene import Route
from compiler.importer.handlers import Handler
from compiler.importer.report import Outcome, Target, in_overlay
from compiler.importer.state import Import
from compiler.model.kube import Taint, Toleration
from compiler.objects import Json

# Tolerations that charts have by themselves, which tell nothing of the nodes.
_USUAL: Final = ("CriticalAddonsOnly", "nvidia.com/gpu", "node-role.kubernetes.io/")


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
        already = state.draft.get("stack", target) or []
        if item not in already:
            state.draft.put("stack", target, [*already, item])
    state.add(values, route, item, Outcome.TRANSLATED, "", targets=tuple(("stack", target) for target in targets))
