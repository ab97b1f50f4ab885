"""The alerts and recording rules: what each has, and what the settings do to them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compiler.model.monitoring import Rules
from compiler.model.overlay import NodePool
from compiler.monitoring import groups
from compiler.monitoring.alerts import Alert, alerts
from compiler.monitoring.recording import SERIES, recorded, resource_label
from compiler.objects import Obj

ALERTS = alerts(Rules())
NAMES = [alert.name for alert in ALERTS]
RUNBOOK = (Path(__file__).parents[2] / "docs/alerts.md").read_text("utf-8")


def rules(**settings: object) -> dict[str, Obj]:
    """Return the alerts as rules, by name, under settings as an input has them."""
    (group,) = groups.common(Rules.model_validate(settings))
    return {rule["alert"]: rule for rule in group["rules"] if "alert" in rule}


def compiled(**pool: object) -> list[Obj]:
    """Return what is compiled for a pool."""
    (group,) = groups.compiled(Rules(), [NodePool.model_validate({"name": "a", **pool}, strict=False)])
    found: list[Obj] = group["rules"]
    return found


@pytest.mark.parametrize("alert", ALERTS, ids=NAMES)
def test_an_alert_has_summary_cause_and_a_place_in_the_runbook(alert: Alert) -> None:
    rule = rules()[alert.name]
    assert set(rule["annotations"]) == {"summary", "description", "runbook_url"}
    assert all(rule["annotations"].values())
    assert rule["labels"]["severity"] in {"critical", "warning", "info"}


def test_the_runbook_has_a_section_for_every_alert_in_the_same_order() -> None:
    assert re.findall(r"^## (\w+)$", RUNBOOK, re.MULTILINE) == NAMES


def test_alerts_link_to_the_section_under_the_address_that_is_set() -> None:
    url = rules(runbookUrl="https://git.example.org/alerts.md")["GpuTooHot"]["annotations"]["runbook_url"]
    assert url == "https://git.example.org/alerts.md#gputoohot"


@pytest.mark.parametrize(
    ("alert", "settings", "expr"),
    [
        pytest.param("GpuVramNearlyFull", {"vram": 80}, "100 * gpu:vram_held:ratio > 80", id="VRAM"),
        pytest.param(
            "GpuPowerAtLimit", {"power": 90}, "100 * gpu:power:watts / gpu:power_limit:watts > 90", id="power"
        ),
        pytest.param(
            "GpuIdleWhileTaken",
            {"idle": 3},
            "gpu:utilisation:percent <= 3 and gpu:slices_taken:count > 0",
            id="idle",
        ),
        pytest.param(
            "GpuTooHot",
            {"temperature": 80, "temperatureMargin": 2},
            "gpu:temperature:celsius > gpu:temperature_limit:celsius - 2 "
            "or gpu:temperature:celsius > 80 unless gpu:temperature_limit:celsius",
            id="temperature",
        ),
    ],
)
def test_a_threshold_is_what_the_model_says(alert: str, settings: dict[str, int], expr: str) -> None:
    assert rules(thresholds=settings)[alert]["expr"] == expr


@pytest.mark.parametrize(
    ("alert", "setting"),
    [
        ("GpuVramNearlyFull", "vramFor"),
        ("GpuAllocatableBelowCompiled", "allocatableFor"),
        ("GpuExporterAbsent", "exporterFor"),
        ("GpuTooHot", "temperatureFor"),
        ("GpuPowerAtLimit", "powerFor"),
        ("GpuIdleWhileTaken", "idleFor"),
    ],
)
def test_how_long_a_condition_holds_is_what_the_model_says(alert: str, setting: str) -> None:
    assert rules(thresholds={setting: "42m"})[alert]["for"] == "42m"


def test_without_kube_state_metrics_no_alert_waits_for_it() -> None:
    found = rules(kubeStateMetrics=False)
    assert set(NAMES) - set(found) == {"GpuAllocatableBelowCompiled"}
    assert [name for name, rule in found.items() if "kube_" in rule["expr"]] == []


@pytest.mark.parametrize(
    ("xid", "expressions"),
    [
        pytest.param(
            {"critical": (79,), "application": (13,)},
            {
                "GpuXidCritical": 'gpu:xid_errors:count5m{xid=~"79"} > 0',
                "GpuXidError": 'gpu:xid_errors:count5m{xid!~"79|13"} > 0',
                "GpuXidApplication": 'gpu:xid_errors:count5m{xid=~"13"} > 0',
            },
            id="lists",
        ),
        pytest.param({"critical": (), "application": ()}, {"GpuXidError": "gpu:xid_errors:count5m > 0"}, id="no lists"),
    ],
)
def test_xid_errors_are_told_by_severity(xid: dict[str, object], expressions: dict[str, str]) -> None:
    assert {name: rule["expr"] for name, rule in rules(xid=xid).items() if "Xid" in name} == expressions


def test_alerts_carry_the_labels_for_routing() -> None:
    labels = {name: rule["labels"] for name, rule in rules(alertLabels={"team": "gpu"}).items()}
    assert {found["team"] for found in labels.values()} == {"gpu"}


def test_nodes_with_names_should_have_what_the_pool_says() -> None:
    sharing = {"strategy": "time-slicing", "replicas": 5}
    assert compiled(nodes=({"name": "n"},), gpu={"count": 2}, sharing=sharing) == [
        {"record": "gpu_node:cards_compiled:count", "expr": "vector(2)", "labels": {"node": "n", "pool": "a"}},
        {
            "record": "gpu_node:slices_compiled:count",
            "expr": "vector(10)",
            "labels": {"node": "n", "pool": "a", "resource": "nvidia_com_gpu"},
        },
    ]


def test_nodes_without_names_are_those_where_the_pool_s_exporter_runs() -> None:
    cards, _ = compiled(nodeSelector={"a": "b"})
    assert cards == {
        "record": "gpu_node:cards_compiled:count",
        "expr": '0 * group by (cluster, pool, node) (DCGM_FI_DEV_GPU_TEMP{pool="a"}) + 1',
    }


def test_what_mig_makes_without_profiles_is_not_known() -> None:
    found = compiled(nodes=({"name": "n"},), mig={"strategy": "mixed"})
    assert [rule["record"] for rule in found] == ["gpu_node:cards_compiled:count"]


@pytest.mark.parametrize(
    ("resource", "label"),
    [("nvidia.com/gpu.shared", "nvidia_com_gpu_shared"), ("nvidia.com/mig-1g.10gb", "nvidia_com_mig_1g_10gb")],
)
def test_a_resource_is_spelled_as_kube_state_metrics_does(resource: str, label: str) -> None:
    assert resource_label(resource) == label


def test_every_recorded_name_says_its_unit() -> None:
    units = ("percent", "mebibytes", "ratio", "count", "count5m", "celsius", "watts")
    assert [item.name for item in SERIES if item.name.rpartition(":")[2] not in units] == []
    assert [rule["record"] for rule in recorded()] == [item.name for item in SERIES]
