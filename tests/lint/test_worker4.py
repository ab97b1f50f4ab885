"""A stack as the charts render it and a person deploys it: each of its faults is found, and nothing after repair."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.components.crds import crd
from compiler.objects import Obj
from compiler.yaml.emit import emit
from compiler.yaml.readback import load_all
from tests.inputs.project import gpuc

ROOT = Path(__file__).parents[2]
DEPLOYED = ROOT / "../shared/cases/worker4-as-deployed.yaml"
NODE = "k8s-worker4:dedicated=ai:NoSchedule"
FAULTS = {
    "GPU204": "NFD's worker lacks the toleration",
    "GPU230": "the hook is an ordinary Job",
    "GPU223": "NFD's CRDs are missing",
    "GPU220": "cluster-scoped objects have a namespace",
    "GPU209": "three DaemonSets share a selector",
    "GPU228": "an MPS daemon nobody asked for",
    "GPU201": "nothing makes nvidia.com/gpu.present, which the exporter selects",
}
CLUSTER_SCOPED = {"Namespace", "RuntimeClass", "ClusterRole", "ClusterRoleBinding"}
NFD_CRDS = ("nodefeatures", "nodefeaturerules", "nodefeaturegroups")
GPU_PRESENT: Obj = {
    "apiVersion": "nfd.k8s-sigs.io/v1alpha1",
    "kind": "NodeFeatureRule",
    "metadata": {"name": "nvidia-gpu"},
    "spec": {
        "rules": [
            {
                "name": "nvidia-gpu",
                "labels": {"nvidia.com/gpu.present": "true"},
                "matchFeatures": [
                    {
                        "feature": "pci.device",
                        "matchExpressions": {
                            "vendor": {"op": "In", "value": ["10de"]},
                            "class": {"op": "In", "value": ["0300", "0302"]},
                        },
                    }
                ],
            }
        ]
    },
}

pytestmark = pytest.mark.skipif(not DEPLOYED.exists(), reason="the stack as deployed is not part of the repository")


def repaired() -> list[Obj]:
    """Return the stack without its faults."""
    objects = []
    for obj in load_all(DEPLOYED.read_text(encoding="utf-8")):
        name = obj["metadata"]["name"]
        if name.endswith(("-prune", "-mps-control-daemon")):
            continue
        if obj["kind"] in CLUSTER_SCOPED:
            del obj["metadata"]["namespace"]
        if obj["kind"] == "DaemonSet":
            template = obj["spec"]["template"]
            obj["spec"]["selector"]["matchLabels"]["app.kubernetes.io/component"] = name
            template["metadata"]["labels"]["app.kubernetes.io/component"] = name
            if name.endswith("-worker"):
                template["spec"]["tolerations"].append({"key": "dedicated", "value": "ai", "effect": "NoSchedule"})
        objects.append(obj)
    return [*(crd(f"{kind}.nfd.k8s-sigs.io") for kind in NFD_CRDS), GPU_PRESENT, *objects]


@pytest.mark.parametrize("nodes", [["--node", NODE, "--complete"], []], ids=["nodes known", "nodes unknown"])
def test_every_fault_is_found_and_few_other_things(nodes: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    result = gpuc(capsys, "lint", DEPLOYED, *nodes, "--format", "json")
    assert result.code == 1
    assert {item["rule"] for item in result.findings} == set(FAULTS)


def test_with_nodes_known_every_fault_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    result = gpuc(capsys, "lint", DEPLOYED, "--node", NODE, "--talos", "v1.13.3", "--complete", "--format", "json")
    errors = {item["rule"] for item in result.findings if item["severity"] == "error"}
    assert set(FAULTS) - errors == set()


def test_the_same_fault_many_times_is_shown_once(capsys: pytest.CaptureFixture[str]) -> None:
    text = gpuc(capsys, "lint", DEPLOYED).stdout
    assert text.count("[GPU220]") == 1
    assert "and 9 more of the same:" in text


def test_after_repair_nothing_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "stack.yaml"
    path.write_text("---\n".join(emit(obj) for obj in repaired()), encoding="utf-8")
    result = gpuc(capsys, "lint", path, "--node", NODE, "--talos", "v1.13.3", "--complete")
    assert (result.code, result.stdout.split(";")[0]) == (0, "nothing found")
