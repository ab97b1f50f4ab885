"""Each part of monitoring can be switched on and off, and takes nothing else with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compiler.objects import Obj
from compiler.yaml.readback import load_all
from tests.components.projects import POOL, STACK, compiled, objects

ROOT = "overlays/lab/monitoring"
OFF = STACK.replace(", serviceMonitor: {enabled: true}", "")
PARTS = {
    "ServiceMonitor": (", serviceMonitor: {enabled: true}", ""),
    "PrometheusRule": ("", "rules: {enabled: true}"),
    "ConfigMap": ("", "dashboard: {enabled: true}"),
}


def stack(*parts: str, flux: bool = False) -> str:
    """Return a stack with some parts of monitoring."""
    exporter = "".join(PARTS[part][0] for part in parts)
    settings = ", ".join(PARTS[part][1] for part in parts if PARTS[part][1])
    text = OFF.replace("-distroless", f"-distroless{exporter}")
    text += f"monitoring: {{{settings}}}\n" if settings else ""
    source = "delivery: {flux: {source: {managed: external, kind: GitRepository, name: flux-system}}}\n"
    return text + (source if flux else "")


@pytest.mark.parametrize("part", PARTS)
def test_a_part_alone_is_all_that_is_there(tmp_path: Path, part: str) -> None:
    found = objects(compiled(tmp_path, stack=stack(part)), ROOT)
    assert {obj["kind"] for obj in found.values()} == {part}


@pytest.mark.parametrize("flux", [False, True], ids=["plain", "Flux"])
def test_monitoring_off_removes_all_of_it_and_nothing_else(tmp_path: Path, *, flux: bool) -> None:
    everything = compiled(tmp_path / "on", stack=stack(*PARTS, flux=flux)).files
    rest = compiled(tmp_path / "off", stack=stack(flux=flux)).files
    folders = ("base/dashboard/", "base/prometheus-rules/", "base/service-monitor/", f"{ROOT}/")
    gone = {path for path in everything if path.startswith(folders)}
    gone |= {"flux/lab/kustomization-gpu-monitoring.yaml"} if flux else set()
    assert everything.keys() - rest.keys() == gone
    telling = {"docs/lab.md"} | ({"flux/lab/kustomization.yaml"} if flux else set())
    assert {path for path in rest if everything[path] != rest[path]} <= telling


def test_without_an_exporter_there_is_nothing_to_monitor(tmp_path: Path) -> None:
    built = compiled(tmp_path, stack=stack(*PARTS).replace("4.5.3-4.8.2-distroless", "x, enabled: false"))
    assert ROOT not in built.tree.roots


@pytest.mark.parametrize(
    ("setting", "crd"),
    [
        ("serviceMonitorCrd", "servicemonitors.monitoring.coreos.com"),
        ("prometheusRuleCrd", "prometheusrules.monitoring.coreos.com"),
    ],
)
def test_a_crd_that_nobody_brings_travels_along(tmp_path: Path, setting: str, crd: str) -> None:
    text = stack(*PARTS).replace("monitoring: {", f"monitoring: {{{setting}: {{managed: gpuc}}, ")
    found = objects(compiled(tmp_path, stack=text), ROOT)
    assert [name for name, obj in found.items() if obj["kind"] == "CustomResourceDefinition"] == [
        f"CustomResourceDefinition/{crd}"
    ]


def config_map(folder: Path, settings: str) -> Obj:
    text = stack("ConfigMap").replace("dashboard: {enabled: true}", f"dashboard: {{enabled: true, {settings}}}")
    return objects(compiled(folder, stack=text), ROOT)["ConfigMap/gpu-dashboard"]


def test_the_sidecar_finds_the_dashboard_by_the_label_and_folder_that_it_looks_for(tmp_path: Path) -> None:
    meta = config_map(tmp_path, "label: dash, labelValue: yes-please, folder: GPUs, folderAnnotation: dir")["metadata"]
    assert (meta["labels"]["dash"], meta["annotations"]["dir"]) == ("yes-please", "GPUs")


def test_flux_leaves_grafana_s_variables_alone(tmp_path: Path) -> None:
    annotations = config_map(tmp_path, "")["metadata"]["annotations"]
    assert annotations == {"kustomize.toolkit.fluxcd.io/substitute": "disabled"}


def test_the_dashboard_arrives_as_it_was_built(tmp_path: Path) -> None:
    assert json.loads(config_map(tmp_path, "")["data"]["gpus.json"])["uid"] == "gpuc-gpus"


def test_rules_and_scrape_job_are_plain_files_too_when_asked_for(tmp_path: Path) -> None:
    text = stack("PrometheusRule").replace("monitoring: {", "monitoring: {plainFiles: true, ")
    built = compiled(tmp_path, POOL, stack=text)
    (rules,) = load_all(built.files["prometheus/lab/rules.yaml"])
    (scrape,) = load_all(built.files["prometheus/lab/scrape.yaml"])
    in_cluster = objects(built, ROOT)
    assert rules["groups"] == [
        *in_cluster["PrometheusRule/gpu-compiled"]["spec"]["groups"],
        *in_cluster["PrometheusRule/gpu-rules"]["spec"]["groups"],
    ]
    (job,) = scrape["scrape_configs"]
    assert job["kubernetes_sd_configs"] == [{"role": "pod", "namespaces": {"names": ["gpu"]}}]


def test_without_asking_there_are_no_plain_files(tmp_path: Path) -> None:
    files = compiled(tmp_path, stack=stack(*PARTS)).files
    assert [path for path in files if path.startswith("prometheus/")] == []
