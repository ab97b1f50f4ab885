"""The proof is complete, and its exporters speak as the real one does; `make observe` runs the proof itself."""

from __future__ import annotations

from collections import Counter

from tests.observability.compiled import monitoring
from tests.observability.expectations import read
from tests.observability.exporters import text
from tests.observability.fleet import STEPS, at_work
from tests.observability.labelled import scraped

COMPILED, EXPECTED = monitoring(), read()


def test_every_query_of_every_panel_has_an_answer_worked_out_by_hand() -> None:
    asked = Counter(query.panel for query in COMPILED.queries)
    assert asked == {panel: len(answers) for panel, answers in EXPECTED.panels.items()}


def test_every_alert_is_tripped_by_a_step() -> None:
    tripped = {alert.alert for alerts in EXPECTED.steps.values() for alert in alerts}
    assert tripped == set(COMPILED.alerts)


def test_every_step_is_looked_at() -> None:
    assert list(EXPECTED.steps) == list(STEPS)


def test_every_recorded_series_is_looked_at() -> None:
    names = {rule["record"] for group in COMPILED.groups for rule in group["rules"] if "record" in rule}
    asked = " ".join([*EXPECTED.sums, *(rule["expr"] for rule in COMPILED.alerts.values())])
    # By the text of the alert on VRAM, and by the panels, which ask the same expressions.
    assert {name for name in names if name not in asked} == set()


def test_a_shared_card_is_told_as_the_exporter_does_since_4_8() -> None:
    node = at_work().nodes["k8s-worker4"]
    lines = [line for line in text(node.series()).splitlines() if line.startswith("DCGM_FI_DEV_FB_USED{")]
    pods = [line.partition('pod="')[2].partition('"')[0] for line in lines]
    assert pods == ["", "ollama-0", "comfyui-7d", "notebook-0", "training-x", "katib-trial-y"]


def test_labels_arrive_as_the_workload_s_and_the_node_s() -> None:
    labels = [labels for name, labels, _ in scraped(at_work(), COMPILED.endpoint) if name == "DCGM_FI_DEV_FB_USED"]
    keys = {key for found in labels for key in found}
    assert {"Hostname", "pod_uid", "exported_pod"} & keys == set()
    assert {(found["node"], found["instance"], found["hostname"]) for found in labels} == {
        (name, name, name) for name in at_work().nodes
    }


def test_no_series_seems_to_belong_to_the_exporter() -> None:
    pods = {labels.get("pod", "") for _, labels, _ in scraped(at_work(), COMPILED.endpoint)}
    assert [pod for pod in pods if pod.startswith("dcgm-exporter")] == []
