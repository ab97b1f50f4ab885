"""The dashboard: whether it is current, whether Grafana knows it, and what every panel has."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from grafana_foundation_sdk.cog import plugins
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

from compiler.monitoring.dashboard import RUNBOOK, built, dashboard
from compiler.monitoring.fields import BASIC, PROFILING
from scripts.dashboard.__main__ import generated

ROOT = Path(__file__).parents[2]
BOARD = json.loads(built())
PANELS = [panel for panel in BOARD["panels"] if panel["type"] != "row"]
QUERIES = [target["expr"] for panel in PANELS for target in panel["targets"]]
TITLES = [panel["title"] for panel in PANELS]


@pytest.mark.parametrize("name", ["compiler/monitoring/gpus.json", "docs/dashboard.md", "docs/dashboard.svg"])
def test_what_make_dashboard_makes_is_current(name: str) -> None:
    assert (ROOT / name).read_text("utf-8") == generated()[name]


def missing(ours: Any, theirs: Any, route: str = "") -> list[str]:
    """Return what stands in `ours` and not in `theirs`."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return [gap for key, value in ours.items() for gap in missing(value, theirs.get(key), f"{route}.{key}")]
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = enumerate(zip(ours, theirs, strict=True))
        return [gap for index, pair in pairs for gap in missing(*pair, f"{route}[{index}]")]
    return [] if ours == theirs else [route]


def test_grafana_s_own_types_know_everything_in_it() -> None:
    plugins.register_default_plugins()
    read = json.loads(JSONEncoder().encode(Dashboard.from_json(json.loads(built()))))
    assert missing(BOARD, read) == []


@pytest.mark.parametrize("panel", PANELS, ids=TITLES)
def test_a_panel_says_what_it_shows_and_why_it_may_be_empty(panel: dict[str, Any]) -> None:
    assert panel["description"]
    assert panel["fieldConfig"]["defaults"]["noValue"]


def test_titles_and_numbers_of_panels_are_used_once() -> None:
    numbers = [panel["id"] for panel in BOARD["panels"]]
    assert (len(set(TITLES)), len(set(numbers))) == (len(TITLES), len(numbers))


def overlap(one: dict[str, int], other: dict[str, int]) -> bool:
    return (
        one["x"] < other["x"] + other["w"]
        and other["x"] < one["x"] + one["w"]
        and one["y"] < other["y"] + other["h"]
        and other["y"] < one["y"] + one["h"]
    )


def test_panels_lie_beside_each_other_and_within_the_screen() -> None:
    places = [panel["gridPos"] for panel in BOARD["panels"]]
    assert [pair for pair in combinations(places, 2) if overlap(*pair)] == []
    assert max(place["x"] + place["w"] for place in places) == 24


def test_queries_use_only_metrics_that_are_published() -> None:
    published = {field.name for field in (*BASIC, *PROFILING)}
    assert {name for expr in QUERIES for name in re.findall(r"DCGM_[A-Z_]+", expr)} <= published


@pytest.mark.parametrize("expr", QUERIES, ids=range(len(QUERIES)))
def test_every_metric_stands_in_an_aggregation_that_takes_copies_together(expr: str) -> None:
    bare = re.sub(r"(max|count|group) by \([^)]*\) \((rate\()?(DCGM|kube)_\w+(\{[^}]*\})?", "", expr)
    assert re.findall(r"(?:DCGM|kube)_\w+", bare) == []


def test_the_data_source_is_chosen_in_grafana() -> None:
    assert {target["datasource"]["uid"] for panel in PANELS for target in panel["targets"]} == {"${datasource}"}


@pytest.mark.parametrize(
    ("address", "links"),
    [
        pytest.param("https://git.example.org/gpu/alerts.md", ["https://git.example.org/gpu/alerts.md"], id="address"),
        pytest.param("docs/alerts.md", [], id="path"),
    ],
)
def test_it_links_to_the_runbook_where_a_browser_can_open_it(address: str, links: list[str]) -> None:
    found = dashboard(address)
    assert [link["url"] for link in json.loads(found)["links"]] == links
    assert RUNBOOK not in found
