"""A taint that the plugin tolerates keeps nothing of the stack off the nodes: NFD's worker runs there as well."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compiler.importer import import_files
from compiler.lint.files import SourceFile
from compiler.pipeline import build
from tests.importer.support import EXPORTER, NFD, PLUGIN, TALOS, entry, imported

EXISTS = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
EQUAL = {"key": "nvidia.com/gpu", "operator": "Equal", "value": "present", "effect": "NoSchedule"}
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: nvidia-device-plugin, namespace: argocd}
spec:
  project: default
  source:
    chart: nvidia-device-plugin
    repoURL: https://nvidia.github.io/k8s-device-plugin
    targetRevision: 0.20.0
    helm: {valuesObject: VALUES}
  destination: {server: https://kubernetes.default.svc, namespace: nvidia}
"""
TOLERATIONS: dict[str, dict[str, str]] = {
    "exists": EXISTS,
    "equal": EQUAL,
    "every-effect": {"key": "nvidia.com/gpu", "operator": "Exists"},
    "equal-every-effect": {"key": "nvidia.com/gpu", "operator": "Equal", "value": "present"},
    "own-key": {"key": "dedicated", "operator": "Exists", "effect": "NoExecute"},
    "every-taint": {"operator": "Exists"},
}


def values(item: dict[str, str]) -> str:
    return json.dumps({"runtimeClassName": "nvidia", "deviceDiscoveryStrategy": "nvml", "tolerations": [item]})


def worker_tolerations(root: Path, files: dict[str, str]) -> list[dict[str, Any]]:
    """Return what NFD's worker tolerates once the two inputs are compiled."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    (worker,) = [
        one
        for one in build(root).tree.roots["overlays/gpu"].expected
        if one["kind"] == "DaemonSet" and one["metadata"]["name"] == "nfd-worker"
    ]
    found: list[dict[str, Any]] = worker["spec"]["template"]["spec"].get("tolerations", [])
    return found


@pytest.mark.parametrize("form", ["values", "application"])
@pytest.mark.parametrize("item", TOLERATIONS.values(), ids=TOLERATIONS)
def test_nfds_worker_tolerates_what_the_plugin_tolerates(item: dict[str, str], form: str, tmp_path: Path) -> None:
    text = values(item) if form == "values" else APPLICATION.replace("VALUES", values(item))
    report = import_files([SourceFile("a.yaml", text, named=True)], TALOS, PLUGIN if form == "values" else None)
    assert item in worker_tolerations(tmp_path, report.draft.files())


def test_a_toleration_with_value_is_a_taint_of_the_pool_whatever_its_key() -> None:
    report = imported(PLUGIN, values(EQUAL))
    assert report.draft.get("overlay", ("nodePools", 0, "taints")) == [
        {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
    ]


def test_the_report_asks_for_the_value_that_a_toleration_does_not_tell() -> None:
    told = entry(imported(PLUGIN, values(EXISTS)), "tolerations", 0)
    assert ("stack", ("nodeFeatureDiscovery", "worker", "tolerations")) in told.targets
    assert "--taint" in told.why


def test_the_exporter_runs_where_the_plugin_does() -> None:
    text = json.dumps({PLUGIN: json.loads(values(EXISTS)), EXPORTER: {"serviceMonitor": {"enabled": False}}})
    stack = import_files([SourceFile("values.yaml", text, named=True)], TALOS).draft.stack
    assert stack["dcgmExporter"]["tolerations"] == [EXISTS]


def test_an_exporters_toleration_reaches_the_worker_and_not_the_plugin() -> None:
    stack = imported(EXPORTER, json.dumps({"tolerations": [EXISTS]})).draft.stack
    assert stack["nodeFeatureDiscovery"]["worker"]["tolerations"] == [EXISTS]
    assert "tolerations" not in stack["devicePlugin"]


def test_a_master_of_nfd_takes_its_toleration_for_itself() -> None:
    report = imported(NFD, json.dumps({"master": {"tolerations": [EXISTS]}}))
    assert report.draft.get("stack", ("nodeFeatureDiscovery", "worker")) is None


def test_an_nfd_that_is_not_gpucs_gets_no_settings() -> None:
    text = json.dumps({**json.loads(values(EXISTS)), "nfd": {"enabled": False}})
    assert set(imported(PLUGIN, text).draft.stack["nodeFeatureDiscovery"]) == {"managed", "labels"}
