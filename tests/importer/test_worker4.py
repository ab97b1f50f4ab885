"""Importing the values with which upstream's charts gave worker4's objects gives its stack again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compiler.importer import import_files
from compiler.lint.files import SourceFile
from compiler.pipeline import build
from compiler.starter.choices import Choices, node
from tests.inputs.project import gpuc

ROOT = Path(__file__).parents[2]
ORACLE = ROOT.parent / "shared" / "oracle"
ORACLE_ARGUMENTS = ("--name", "worker4", "--cluster", "homelab", "--namespace", "nvidia-gpu-operator")
Capture = pytest.CaptureFixture[str]
needs_oracle = pytest.mark.skipif(not ORACLE.is_dir(), reason="../shared/oracle, the values for comparison, is absent")

# What values of charts cannot say, or what worker4's own inputs ask for besides them.
DIFFERENCES = {
    "ConfigMap gpu-dashboard": "monitoring.dashboard is gpuc's own",
    "PrometheusRule gpu-compiled": "monitoring.rules is gpuc's own",
    "PrometheusRule gpu-rules": "monitoring.rules is gpuc's own",
}


def run_import(capsys: Capture, root: Path, plugin: str) -> None:
    result = gpuc(
        capsys, "import", ORACLE / plugin, ORACLE / "dcgm-exporter-values.yaml", "--root", root, *ORACLE_ARGUMENTS,
        "--node", "k8s-worker4:192.168.1.224", "--os-version", "v1.13.3",
    )  # fmt: skip
    assert (result.code, result.stderr) == (0, "")


def objects(root: Path, overlay: str = "overlays/worker4") -> dict[str, Any]:
    """Return what the overlay's two roots build to, by kind and name without hashes."""
    roots = build(root).tree.roots
    found = [*roots[overlay].expected, *roots[f"{overlay}/monitoring"].expected]
    return {f"{one['kind']} {one['metadata']['name']}": one for one in found}


def differences(one: dict[str, Any], two: dict[str, Any]) -> Iterator[str]:
    for name in sorted({*one, *two}):
        if one.get(name) != two.get(name):
            yield name


@needs_oracle
def test_importing_the_values_gives_worker4s_objects_again(tmp_path: Path, capsys: Capture) -> None:
    run_import(capsys, tmp_path, "device-plugin-values.yaml")
    assert set(differences(objects(tmp_path), objects(ROOT))) == set(DIFFERENCES)


@needs_oracle
def test_importing_the_mps_values_gives_four_parts_of_the_card(tmp_path: Path, capsys: Capture) -> None:
    run_import(capsys, tmp_path, "device-plugin-values-mps.yaml")
    built = build(tmp_path)
    sharing = built.project.environments[0].overlay.node_pools[0].sharing
    assert (sharing.strategy, getattr(sharing, "replicas", None)) == ("mps", 4)
    assert "DaemonSet nvidia-mps-control-daemon-worker4" in objects(tmp_path)


@needs_oracle
def test_nothing_of_the_values_is_wrong_or_open() -> None:
    names = ("device-plugin-values.yaml", "device-plugin-values-mps.yaml")
    for name in names:
        files = [
            SourceFile(one, (ORACLE / one).read_text(encoding="utf-8"), named=True)
            for one in (name, "dcgm-exporter-values.yaml")
        ]
        choices = Choices(name="worker4", nodes=(node("k8s-worker4"),), os_version="v1.13.3")
        report = import_files(files, choices)
        assert not report.open, name
