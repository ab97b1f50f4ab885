"""The page beside a component: what it tells people to write is right for the pool."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compiler.objects import Obj
from compiler.yaml.readback import load_all
from tests.components.projects import compiled
from tests.delivery.apps import GPU, POOL, TOLERATION

PLACEMENT = {
    "runtimeClassName": "nvidia",
    "nodeSelector": {"nvidia.com/gpu.present": "true"},
    "tolerations": [TOLERATION],
}


def page(folder: Path, body: str = POOL) -> str:
    return compiled(folder, body).files["components/gpu-workload/lab/a/README.md"]


def snippets(text: str) -> list[Obj]:
    """Return the YAML blocks after the heading, in their order."""
    _, _, rest = text.partition("## Where Kustomize cannot do it")
    return [next(iter(load_all(block))) for block in re.findall(r"(?ms)^```yaml\n(.+?)^```$", rest)]


def test_a_pod_template(tmp_path: Path) -> None:
    expected = {**PLACEMENT, "containers": [{"name": "main", "resources": {"limits": {GPU: 1}}}]}
    assert snippets(page(tmp_path))[0] == expected


def test_helm_values(tmp_path: Path) -> None:
    assert snippets(page(tmp_path))[1] == {**PLACEMENT, "resources": {"limits": {GPU: 1}}}


def test_a_kubeflow_notebook(tmp_path: Path) -> None:
    pod = snippets(page(tmp_path))[2]["spec"]["template"]["spec"]
    assert {key: pod[key] for key in PLACEMENT} == PLACEMENT


def test_a_katib_trial(tmp_path: Path) -> None:
    trial = snippets(page(tmp_path))[3]["spec"]["trialTemplate"]["trialSpec"]
    pod = trial["spec"]["template"]["spec"]
    assert (trial["kind"], {key: pod[key] for key in PLACEMENT}) == ("Job", PLACEMENT)


def test_a_pool_without_taints_says_nothing_of_tolerations(tmp_path: Path) -> None:
    assert "tolerations:" not in page(tmp_path, "nodePools: [{name: a, nodes: [{name: n}]}]\n")


@pytest.mark.parametrize(
    ("pool", "resource"),
    [
        ("sharing: {strategy: time-slicing, replicas: 2, renameByDefault: true}", "nvidia.com/gpu.shared"),
        ("mig: {strategy: mixed}", "nvidia.com/mig-<profile>"),
        ("mig: {strategy: mixed, profiles: [{name: 1g.10gb, count: 7}]}", "nvidia.com/mig-1g.10gb"),
    ],
)
def test_the_resource_is_what_the_pool_advertises(tmp_path: Path, pool: str, resource: str) -> None:
    text = page(tmp_path, f"nodePools: [{{name: a, nodes: [{{name: n}}], {pool}}}]\n")
    assert snippets(text)[1]["resources"] == {"limits": {resource: 1}}
