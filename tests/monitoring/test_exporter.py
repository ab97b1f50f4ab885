"""How the exporter's settings follow from sharing and cards, and how it is scraped."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.errors import InputError
from compiler.objects import Obj
from tests.components import facts
from tests.components.projects import STACK, compiled, container, env, objects

EXPORTER = "DaemonSet/dcgm-exporter-a"
SHARED = "sharing: {strategy: time-slicing, replicas: 5}"
APART = {"KUBERNETES_VIRTUAL_GPUS": "true", "DCGM_EXPORTER_KUBERNETES_ENABLE_POD_UID": "true"}
READS_PODS = ["ClusterRole/dcgm-exporter", "ClusterRoleBinding/dcgm-exporter"]


def build(folder: Path, exporter: str = "", pool: str = "") -> dict[str, Obj]:
    stack = "\n".join([*STACK.splitlines()[:-1], f"dcgmExporter: {{version: 4.5.3-4.8.2-distroless, {exporter}}}\n"])
    return objects(compiled(folder, f"nodePools: [{{name: a, nodes: [{{name: n}}], {pool}}}]\n", stack=stack))


def counters(found: dict[str, Obj]) -> str:
    (config,) = (obj for name, obj in found.items() if name.startswith("ConfigMap/dcgm-exporter-counters"))
    text: str = config["data"]["counters.csv"]
    return text


@pytest.mark.parametrize(
    ("exporter", "pool", "apart"),
    [
        pytest.param("", SHARED, True, id="time-slicing"),
        pytest.param("", "sharing: {strategy: mps, replicas: 5}", True, id="MPS"),
        pytest.param("", "", False, id="not shared"),
        pytest.param("podAttribution: false", SHARED, False, id="switched off"),
    ],
)
def test_pods_are_told_apart_where_cards_are_shared(tmp_path: Path, exporter: str, pool: str, *, apart: bool) -> None:
    found = build(tmp_path, exporter, pool)
    pod = facts.pod(found[EXPORTER])["spec"]
    seen = {name: value for name, value in env(found[EXPORTER]).items() if name in APART}
    assert seen == (APART if apart else {})
    assert (pod.get("hostPID", False), pod["automountServiceAccountToken"]) == (apart, apart)
    assert [name for name in READS_PODS if name in found] == (READS_PODS if apart else [])


def test_without_attribution_the_kubelet_is_not_asked_for_pods(tmp_path: Path) -> None:
    found = build(tmp_path, "podAttribution: false", SHARED)
    assert env(found[EXPORTER])["DCGM_EXPORTER_KUBERNETES"] == "false"
    assert [volume["name"] for volume in facts.pod(found[EXPORTER])["spec"]["volumes"]] == ["counters"]


def test_the_exporter_may_read_pods_and_nothing_else(tmp_path: Path) -> None:
    rules = build(tmp_path, "", SHARED)["ClusterRole/dcgm-exporter"]["rules"]
    assert rules == [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]}]


@pytest.mark.parametrize(
    ("product", "profiled"),
    [
        pytest.param("NVIDIA GeForce RTX 5070 Ti", False, id="GeForce"),
        pytest.param("NVIDIA A100-SXM4-80GB", True, id="data centre"),
        pytest.param("Something New", True, id="unknown"),
    ],
)
def test_profiling_is_for_cards_that_have_it(tmp_path: Path, product: str, *, profiled: bool) -> None:
    found = build(tmp_path, "profiling: true", f"gpu: {{product: {product}}}")
    added = container(found[EXPORTER])["securityContext"]["capabilities"].get("add", [])
    assert ("DCGM_FI_PROF_" in counters(found), added) == (profiled, ["SYS_ADMIN"] if profiled else [])


def test_cards_are_read_as_often_as_they_are_scraped(tmp_path: Path) -> None:
    found = build(tmp_path, "serviceMonitor: {interval: 1m, scrapeTimeout: 10s}")
    assert env(found[EXPORTER])["DCGM_EXPORTER_INTERVAL"] == "60000"


@pytest.mark.parametrize(
    ("exporter", "annotations"),
    [
        pytest.param("", None, id="not asked"),
        pytest.param(
            "scrapeAnnotations: true",
            {"prometheus.io/path": "/metrics", "prometheus.io/port": "9400", "prometheus.io/scrape": "true"},
            id="asked",
        ),
    ],
)
def test_annotations_are_there_when_asked_for(
    tmp_path: Path, exporter: str, annotations: dict[str, str] | None
) -> None:
    assert facts.pod(build(tmp_path, exporter)[EXPORTER])["metadata"].get("annotations") == annotations


def test_cards_are_not_scraped_twice(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        build(tmp_path, "scrapeAnnotations: true, serviceMonitor: {enabled: true}")
    (found,) = refused.value.diagnostics
    assert found.rule == "GPU033"
    assert "scraped twice" in found.message


def test_one_service_and_one_monitor_serve_all_pools(tmp_path: Path) -> None:
    pools = "nodePools: [{name: a, nodes: [{name: n}]}, {name: b, nodes: [{name: m}]}]\n"
    built = compiled(tmp_path, pools)
    services = facts.of_kind(list(objects(built).values()), "Service")
    monitors = facts.of_kind(list(objects(built, "overlays/lab/monitoring").values()), "ServiceMonitor")
    assert [facts.shown(obj) for obj in (*services, *monitors)] == [
        "Service/dcgm-exporter",
        "ServiceMonitor/dcgm-exporter",
    ]
    assert monitors[0]["spec"]["jobLabel"] == "app.kubernetes.io/name"


def test_the_user_s_own_relabelling_comes_last(tmp_path: Path) -> None:
    own = "{action: labeldrop, regex: node}"
    stack = STACK.replace("enabled: true", f"enabled: true, relabelings: [{own}], metricRelabelings: [{own}]")
    built = objects(compiled(tmp_path, stack=stack), "overlays/lab/monitoring")
    endpoint = built["ServiceMonitor/dcgm-exporter"]["spec"]["endpoints"][0]
    last = [endpoint[key][-1] for key in ("relabelings", "metricRelabelings")]
    assert last == [{"action": "labeldrop", "regex": "node"}] * 2
