"""An import under way: the draft that grows, the entries, and what several values together decide."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from compiler.check.chartvalues import ChartValues, Setting
from compiler.check.scene import Route
from compiler.diagnostics import Place
from compiler.importer.report import Entry, Outcome, Report, Target
from compiler.model.kube import Taint
from compiler.model.stack import GPUStack
from compiler.objects import Json
from compiler.starter.choices import Choices
from compiler.starter.draft import API_VERSION, Draft
from compiler.starter.first import DCGM_EXPORTER, DEVICE_PLUGIN, NFD

_MISSING: Final = object()


@dataclass
class Profile:
    """A configuration of the plugin, which becomes a node pool: parts of the pool, each with the entry's index."""

    name: str
    parts: dict[str, Json] = field(default_factory=dict)


@dataclass
class Import:
    """What is known so far. `talos` is true where the nodes run Talos; `charts` are the charts that were given."""

    choices: Choices
    draft: Draft
    talos: bool
    charts: frozenset[str]
    report: Report
    profiles: list[Profile] = field(default_factory=list)
    mig: str | None = None
    taints: dict[Taint, None] = field(default_factory=dict)
    hosts: dict[str, None] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    flags: set[Route] = field(default_factory=set)

    def add(  # noqa: PLR0913 -- the parts of an entry
        self,
        values: ChartValues,
        route: Route,
        value: Json,
        outcome: Outcome,
        why: str = "",
        help_: str = "",
        *,
        targets: tuple[Target, ...] = (),
    ) -> None:
        """Say what became of a value."""
        place = values.place(route, key=not route or not isinstance(route[-1], int))
        self.report.entries.append(Entry(values.what, route, value, place, outcome, why, help_, targets))

    def beside(  # noqa: PLR0913 -- the parts of an entry
        self,
        what: tuple[str, str],
        value: Json,
        place: Place,
        outcome: Outcome,
        why: str,
        help_: str = "",
        *,
        targets: tuple[Target, ...] = (),
    ) -> None:
        """Say what became of something that is no value of a chart; `what` is its source and how it is called."""
        self.report.entries.append(Entry(what[0], (), value, place, outcome, why, help_, targets, what[1]))

    def stack(
        self,
        values: ChartValues,
        route: Route,
        value: Json,
        *targets: Route,
        why: str = "",
        written: Json = _MISSING,
    ) -> None:
        """Put a value into the stack, unless it says what gpuc does anyway or another file says otherwise.

        `written` is the value as it stands in the file, where gpuc writes it in another form.
        """
        shown = value if written is _MISSING else written
        taken: list[Target] = []
        for target in targets:
            before = self.draft.get("stack", target)
            if before is not None and before != value and target in self.flags:
                spelled = ".".join(str(part) for part in target)
                said = f"`{spelled}` is {json.dumps(before)} already: a stack has one value for all its components"
                self.add(
                    values, route, shown, Outcome.WRONG, said, "decide which of the two is meant, and delete the other"
                )
                return
            if before is None and value == default(target):
                continue
            self.draft.put("stack", target, value)
            self.flags.add(target)
            taken.append(("stack", target))
        if taken:
            self.add(values, route, shown, Outcome.TRANSLATED, why, targets=tuple(taken))
        else:
            self.add(values, route, shown, Outcome.DEFAULT, f"gpuc's default{'; ' + why if why else ''}")

    def translated(self, values: ChartValues, setting: Setting, *targets: Route, why: str = "") -> None:
        """Put a setting's value into the stack as it is."""
        self.stack(values, setting.route, setting.value, *targets, why=why)


def default(route: Route) -> Json:
    """Return gpuc's default at a route of the stack; a value that nobody can write where there is none."""
    value: Json = _defaults()
    for segment in route:
        if not isinstance(value, dict) or segment not in value:
            return _MISSING
        value = value[segment]
    return value


@cache
def _defaults() -> Json:
    stack = {
        "apiVersion": API_VERSION,
        "kind": "GPUStack",
        "namespace": "x",
        "kubernetes": {"version": "1.34"},
        "platform": {"os": "generic"},
        "nodeFeatureDiscovery": {"version": NFD},
        "devicePlugin": {"version": DEVICE_PLUGIN},
        "dcgmExporter": {"version": DCGM_EXPORTER},
    }
    data: dict[str, Json] = GPUStack.model_validate_json(json.dumps(stack)).model_dump(mode="json", by_alias=True)
    for component in ("nodeFeatureDiscovery", "devicePlugin", "dcgmExporter"):
        del data[component]["version"]
    del data["namespace"]
    return data
