"""Flux's objects for every setting, and what the gate asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.objects import Obj
from compiler.pipeline import Built, build
from tests.components.projects import POOL, STACK, compiled, objects

STACK_KEY = "Kustomization/gpu-stack"
MONITORING = "Kustomization/gpu-monitoring"
GATE = "Kustomization/gpu-gate"


def flux(folder: Path, settings: str = "{}", body: str = POOL, stack: str = STACK) -> dict[str, Obj]:
    """Return Flux's objects for a stack with these settings of `delivery.flux`."""
    return objects(project(folder, settings, body, stack), "flux/lab")


def project(folder: Path, settings: str = "{}", body: str = POOL, stack: str = STACK) -> Built:
    return compiled(folder, body, stack=f"{stack}delivery: {{flux: {settings}}}\n")


def test_without_delivery_there_is_nothing_of_flux(tmp_path: Path) -> None:
    assert [path for path in compiled(tmp_path).files if path.startswith("flux/")] == []


def test_the_defaults_are_what_people_use(tmp_path: Path) -> None:
    assert flux(tmp_path)[STACK_KEY] == {
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
        "kind": "Kustomization",
        "metadata": {
            "name": "gpu-stack",
            "namespace": "flux-system",
            "labels": {"app.kubernetes.io/managed-by": "gpuc"},
        },
        "spec": {
            "sourceRef": {"kind": "GitRepository", "name": "flux-system"},
            "path": "./out/overlays/lab",
            "interval": "30m",
            "retryInterval": "2m",
            "timeout": "5m",
            "prune": True,
            "wait": True,
        },
    }


def test_there_are_three_kustomizations(tmp_path: Path) -> None:
    assert sorted(flux(tmp_path)) == [GATE, MONITORING, STACK_KEY]


def test_a_stack_without_monitoring_has_no_kustomization_for_it(tmp_path: Path) -> None:
    stack = "\n".join(line for line in STACK.splitlines() if not line.startswith("dcgmExporter")) + "\n"
    assert sorted(flux(tmp_path, stack=stack)) == [GATE, STACK_KEY]


def test_monitoring_waits_for_the_stack_and_not_for_the_gate(tmp_path: Path) -> None:
    assert flux(tmp_path)[MONITORING]["spec"]["dependsOn"] == [{"name": "gpu-stack"}]


def test_monitoring_waits_for_what_brings_the_crd(tmp_path: Path) -> None:
    found = flux(tmp_path, "{monitoringDependsOn: [{name: operator, namespace: monitoring}]}")
    assert found[MONITORING]["spec"]["dependsOn"] == [
        {"name": "gpu-stack"},
        {"name": "operator", "namespace": "monitoring"},
    ]


def test_the_stack_waits_for_what_it_is_told_to(tmp_path: Path) -> None:
    found = flux(tmp_path, "{dependsOn: [{name: infrastructure}]}")
    depends = {name: obj["spec"].get("dependsOn") for name, obj in found.items()}
    assert depends == {
        STACK_KEY: [{"name": "infrastructure"}],
        MONITORING: [{"name": "gpu-stack"}],
        GATE: [{"name": "gpu-stack"}],
    }


@pytest.mark.parametrize(
    ("source", "reference"),
    [
        pytest.param(
            "{managed: external, name: fleet}", {"kind": "GitRepository", "name": "fleet"}, id="GitRepository"
        ),
        pytest.param(
            "{managed: external, name: fleet, namespace: sources}",
            {"kind": "GitRepository", "name": "fleet", "namespace": "sources"},
            id="in another namespace",
        ),
        pytest.param(
            "{managed: external, kind: OCIRepository, name: gpu}",
            {"kind": "OCIRepository", "name": "gpu"},
            id="OCIRepository",
        ),
        pytest.param("{kind: Bucket, name: gpu}", {"kind": "Bucket", "name": "gpu"}, id="Bucket, managed left out"),
        pytest.param(
            "{managed: gpuc, url: https://git.example.org/gpu.git}",
            {"kind": "GitRepository", "name": "gpu-stack"},
            id="written by gpuc",
        ),
    ],
)
def test_every_kustomization_refers_to_the_source(tmp_path: Path, source: str, reference: dict[str, str]) -> None:
    found = flux(tmp_path, f"{{source: {source}}}")
    kustomizations = [obj for obj in found.values() if obj["kind"] == "Kustomization"]
    assert [obj["spec"]["sourceRef"] for obj in kustomizations] == [reference] * 3


def test_an_existing_source_is_not_written(tmp_path: Path) -> None:
    assert {obj["kind"] for obj in flux(tmp_path).values()} == {"Kustomization"}


def test_a_source_of_a_private_repository_names_its_secret(tmp_path: Path) -> None:
    source = "{managed: gpuc, url: ssh://git@git.example.org/gpu.git, branch: prod, secretRef: {name: gpu-git}}"
    assert flux(tmp_path, f"{{source: {source}}}")["GitRepository/gpu-stack"] == {
        "apiVersion": "source.toolkit.fluxcd.io/v1",
        "kind": "GitRepository",
        "metadata": {
            "name": "gpu-stack",
            "namespace": "flux-system",
            "labels": {"app.kubernetes.io/managed-by": "gpuc"},
        },
        "spec": {
            "interval": "5m",
            "url": "ssh://git@git.example.org/gpu.git",
            "ref": {"branch": "prod"},
            "secretRef": {"name": "gpu-git"},
        },
    }


@pytest.mark.parametrize(
    ("setting", "key", "value"),
    [
        ("interval: 1h", "interval", "1h"),
        ("retryInterval: 30s", "retryInterval", "30s"),
        ("timeout: 10m", "timeout", "10m"),
        ("prune: false", "prune", False),
        ("wait: false", "wait", False),
        ("serviceAccountName: gpu-applier", "serviceAccountName", "gpu-applier"),
    ],
)
def test_a_setting_holds_for_stack_and_monitoring(tmp_path: Path, setting: str, key: str, value: object) -> None:
    found = flux(tmp_path, f"{{{setting}}}")
    assert [found[name]["spec"][key] for name in (STACK_KEY, MONITORING)] == [value, value]


def test_the_gate_applies_as_the_same_account(tmp_path: Path) -> None:
    assert flux(tmp_path, "{serviceAccountName: gpu-applier}")[GATE]["spec"]["serviceAccountName"] == "gpu-applier"


def test_a_prefix_names_all_three_and_what_they_wait_for(tmp_path: Path) -> None:
    found = flux(tmp_path, "{namePrefix: lab-gpu}")
    assert {obj["metadata"]["name"]: obj["spec"].get("dependsOn") for obj in found.values()} == {
        "lab-gpu-stack": None,
        "lab-gpu-monitoring": [{"name": "lab-gpu-stack"}],
        "lab-gpu-gate": [{"name": "lab-gpu-stack"}],
    }


def test_they_live_in_the_namespace_that_is_asked_for(tmp_path: Path) -> None:
    assert {obj["metadata"]["namespace"] for obj in flux(tmp_path, "{namespace: gitops}").values()} == {"gitops"}


@pytest.mark.parametrize("path", ["gpu/out", "./gpu/out"])
def test_paths_start_where_out_is_in_the_repository(tmp_path: Path, path: str) -> None:
    assert {name: obj["spec"]["path"] for name, obj in flux(tmp_path, f"{{path: {path}}}").items()} == {
        STACK_KEY: "./gpu/out/overlays/lab",
        MONITORING: "./gpu/out/overlays/lab/monitoring",
        GATE: "./gpu/out/flux/lab/gate",
    }


def test_an_overlay_overrides_the_stacks_delivery(tmp_path: Path) -> None:
    body = f"{POOL}overrides: {{delivery: {{flux: {{interval: 5m}}}}}}\n"
    assert flux(tmp_path, "{interval: 1h, timeout: 9m}", body)[STACK_KEY]["spec"]["interval"] == "5m"


def test_the_gate_does_not_wait_since_that_would_ignore_its_health_checks(tmp_path: Path) -> None:
    spec = flux(tmp_path, "{gateInterval: 90s, timeout: 10m}")[GATE]["spec"]
    assert {key: spec[key] for key in ("wait", "interval", "timeout")} == {
        "wait": False,
        "interval": "90s",
        "timeout": "1m",
    }


def has(count: int, resource: str = "nvidia.com/gpu") -> str:
    return f"'{resource}' in status.allocatable && status.allocatable['{resource}'] == '{count}'"


MIXED = """\
{name: a, nodes: [{name: n}], gpu: {count: 2}, mig: {strategy: mixed, profiles: [
    {name: 1g.10gb, count: 2}, {name: 3g.40gb, count: 1}]}}"""
NAMED = "{name: a, nodes: [{name: node-2}, {name: node-1}], sharing: {strategy: time-slicing, replicas: 4}}"


@pytest.mark.parametrize(
    ("pools", "nodes", "asks"),
    [
        pytest.param([NAMED], ["node-1", "node-2"], has(4), id="one pool"),
        pytest.param(["{name: a, nodes: [{name: n}], gpu: {count: 8}}"], ["n"], has(8), id="several cards"),
        pytest.param(
            ["{name: a, nodes: [{name: n}], gpu: {count: 2}, sharing: {strategy: time-slicing, replicas: 3}}"],
            ["n"],
            has(6),
            id="several cards, shared",
        ),
        pytest.param(
            ["{name: a, nodes: [{name: n}], sharing: {strategy: mps, replicas: 3, renameByDefault: true}}"],
            ["n"],
            has(3, "nvidia.com/gpu.shared"),
            id="renamed",
        ),
        pytest.param(
            ["{name: a, nodes: [{name: n}], mig: {strategy: single, profiles: [{name: 1g.10gb, count: 7}]}}"],
            ["n"],
            has(7),
            id="MIG, one size",
        ),
        pytest.param(
            [MIXED],
            ["n"],
            f"{has(4, 'nvidia.com/mig-1g.10gb')} && {has(2, 'nvidia.com/mig-3g.40gb')}",
            id="MIG, several sizes",
        ),
        pytest.param(
            [NAMED, "{name: b, nodes: [{name: node-3}]}"],
            ["node-1", "node-2", "node-3"],
            f"((metadata.name in ['node-1', 'node-2'] && {has(4)}) || (metadata.name in ['node-3'] && {has(1)}))",
            id="two pools",
        ),
        pytest.param(
            [NAMED, "{name: b, nodes: [{name: node-3}], sharing: {strategy: time-slicing, replicas: 4}}"],
            ["node-1", "node-2", "node-3"],
            has(4),
            id="two pools alike",
        ),
        pytest.param(
            [NAMED, "{name: b, nodeSelector: {gpu: b}}"],
            ["node-1", "node-2"],
            has(4),
            id="a pool by label beside it",
        ),
        pytest.param(
            [NAMED, "{name: b, nodes: [{name: node-3}], mig: {strategy: mixed}}"],
            ["node-1", "node-2"],
            has(4),
            id="MIG without profiles beside it",
        ),
    ],
)
def test_the_gate_asks_every_named_node_for_what_its_pool_advertises(
    tmp_path: Path, pools: list[str], nodes: list[str], asks: str
) -> None:
    body = "nodePools:\n" + "".join(f"  - {pool}\n" for pool in pools)
    spec = flux(tmp_path, body=body)[GATE]["spec"]
    assert {"checks": spec["healthChecks"], "expressions": spec["healthCheckExprs"]} == {
        "checks": [{"apiVersion": "v1", "kind": "Node", "name": name} for name in nodes],
        "expressions": [{"apiVersion": "v1", "kind": "Node", "current": f"has(status.allocatable) && {asks}"}],
    }


@pytest.mark.parametrize(
    "pool",
    [
        pytest.param("{name: a, nodeSelector: {gpu: a}}", id="by label"),
        pytest.param("{name: a, nodes: [{name: n}], mig: {strategy: single}}", id="MIG without profiles"),
    ],
)
def test_there_is_no_gate_where_gpuc_does_not_know_what_to_ask(tmp_path: Path, pool: str) -> None:
    assert sorted(flux(tmp_path, body=f"nodePools: [{pool}]\n")) == [MONITORING, STACK_KEY]


def test_the_gate_applies_one_object_that_says_what_is_waited_for(tmp_path: Path) -> None:
    body = f"nodePools: [{NAMED}]\n"
    assert objects(project(tmp_path, body=body), "flux/lab/gate")["ConfigMap/gpu-gate"]["data"] == {
        "node-1": "nvidia.com/gpu=4",
        "node-2": "nvidia.com/gpu=4",
    }


def test_names_do_not_depend_on_the_overlays_name(tmp_path: Path) -> None:
    """Flux prunes what a renamed Kustomization applied, so renaming the overlay's folder must change paths alone."""
    before = flux(tmp_path / "one")
    built = project(tmp_path / "two")
    (tmp_path / "two/overlays/lab").rename(tmp_path / "two/overlays/home")
    after = objects(build(tmp_path / "two"), "flux/home")
    assert built.files
    assert [(name, obj["metadata"]) for name, obj in after.items()] == [
        (name, obj["metadata"]) for name, obj in before.items()
    ]


def test_the_namespace_and_the_crds_are_never_pruned(tmp_path: Path) -> None:
    found = objects(project(tmp_path))
    kept = "kustomize.toolkit.fluxcd.io/prune"
    disabled = {name for name, obj in found.items() if obj["metadata"].get("annotations", {}).get(kept) == "disabled"}
    assert disabled == {name for name, obj in found.items() if obj["kind"] in ("Namespace", "CustomResourceDefinition")}


def test_what_looks_like_a_variable_is_not_substituted(tmp_path: Path) -> None:
    stack = STACK.replace(
        "deviceDiscoveryStrategy: nvml}", 'deviceDiscoveryStrategy: nvml, env: [{name: SHOWN, value: "${HOME}"}]}'
    )
    found = objects(project(tmp_path, stack=stack))
    annotation = "kustomize.toolkit.fluxcd.io/substitute"
    marked = [name for name, obj in found.items() if annotation in obj["metadata"].get("annotations", {})]
    assert marked == ["DaemonSet/nvidia-device-plugin-a"]
