"""What holds for every stack: each stored case is compiled, and looked at as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.objects import Obj
from compiler.pipeline import build
from tests.components import facts
from tests.components.projects import write
from tests.golden import stored

Environments = dict[str, tuple[str, list[Obj]]]
EXTERNAL = {"everything-external": ["RuntimeClass/nvidia"]}


@pytest.fixture(scope="module", params=stored.CASES)
def environments(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Environments]:
    folder: Path = tmp_path_factory.mktemp("project")
    write(folder, stored.inputs(request.param))
    built = build(folder)
    roots = {name: list(root.expected) for name, root in built.tree.roots.items() if name.startswith("overlays/")}
    return request.param, {
        environment.name: (
            environment.stack.namespace_name,
            [
                obj
                for name, found in roots.items()
                if f"{name}/".startswith(f"overlays/{environment.name}/")
                for obj in found
            ],
        )
        for environment in built.project.environments
    }


def test_everything_namespaced_is_in_the_stack_s_namespace(environments: tuple[str, Environments]) -> None:
    wrong = [facts.misplaced(found, namespace) for namespace, found in environments[1].values()]
    assert wrong == [[] for _ in wrong]


def test_selectors_of_all_workloads_are_disjoint(environments: tuple[str, Environments]) -> None:
    wrong = [facts.overlapping_selectors(found) for _, found in environments[1].values()]
    assert wrong == [[] for _ in wrong]


def test_every_workload_selects_its_own_pods(environments: tuple[str, Environments]) -> None:
    wrong = [facts.unselected_pods(found) for _, found in environments[1].values()]
    assert wrong == [[] for _ in wrong]


def test_every_reference_resolves(environments: tuple[str, Environments]) -> None:
    case, stacks = environments
    wrong = [facts.dangling_references(found, EXTERNAL.get(case, ())) for _, found in stacks.values()]
    assert wrong == [[] for _ in wrong]


def test_every_volume_is_mounted(environments: tuple[str, Environments]) -> None:
    wrong = [facts.unmounted_volumes(found) for _, found in environments[1].values()]
    assert wrong == [[] for _ in wrong]


def test_a_service_selects_the_exporters_of_all_pools_and_nothing_else(environments: tuple[str, Environments]) -> None:
    for _, found in environments[1].values():
        exporters = [obj for obj in facts.of_kind(found, "DaemonSet") if "dcgm-exporter" in obj["metadata"]["name"]]
        for service in facts.of_kind(found, "Service"):
            selected = [
                obj
                for obj in facts.of_kind(found, *facts.WORKLOADS)
                if facts.selects(service["spec"]["selector"], facts.pod(obj)["metadata"]["labels"])
            ]
            assert selected == exporters


def test_what_needs_nvml_has_a_runtime_class_and_runs_on_gpu_nodes_only(environments: tuple[str, Environments]) -> None:
    for _, found in environments[1].values():
        for obj in facts.of_kind(found, "DaemonSet"):
            if obj["metadata"]["name"] != "nfd-worker":
                spec = facts.pod(obj)["spec"]
                assert spec["runtimeClassName"] in {"nvidia", "gpu"}
                assert spec["nodeSelector"]["nvidia.com/gpu.present"] == "true"
