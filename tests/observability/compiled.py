"""What gpuc compiles for the fleet: the rules, the dashboard's queries, and how the ServiceMonitor labels series."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from compiler.objects import Obj
from compiler.pipeline import build

INPUTS = Path(__file__).with_name("inputs")


@dataclass(frozen=True)
class PanelQuery:
    """A query of the dashboard, with its variables set to "All"."""

    panel: str
    legend: str
    expr: str

    def __str__(self) -> str:
        return f"{self.panel}: {self.legend}"


@dataclass(frozen=True)
class Monitoring:
    """The monitoring objects of the fleet."""

    groups: list[Obj]
    queries: list[PanelQuery]
    endpoint: Obj

    @property
    def alerts(self) -> dict[str, Obj]:
        """The alerts by name."""
        return {rule["alert"]: rule for group in self.groups for rule in group["rules"] if "alert" in rule}


def monitoring() -> Monitoring:
    """Return what the fleet's monitoring root builds to."""
    objects = build(INPUTS).tree.roots["overlays/fleet/monitoring"].expected
    # What was compiled is evaluated first, as Prometheus would in its first minute.
    rules = sorted((obj for obj in objects if obj["kind"] == "PrometheusRule"), key=lambda obj: obj["metadata"]["name"])
    (board,) = (json.loads(obj["data"]["gpus.json"]) for obj in objects if obj["kind"] == "ConfigMap")
    (monitor,) = (obj for obj in objects if obj["kind"] == "ServiceMonitor")
    return Monitoring(
        [group for rule in rules for group in rule["spec"]["groups"]],
        [
            PanelQuery(panel["title"], target["legendFormat"], all_selected(target["expr"]))
            for panel in board["panels"]
            for target in panel.get("targets", ())
        ],
        monitor["spec"]["endpoints"][0],
    )


def all_selected(expr: str) -> str:
    """Return an expression as Grafana sends it when every variable stands at "All"."""
    return expr.replace("$node", ".*").replace("$card", ".*")
