"""Which files there are, and what Kustomize makes of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compiler.errors import InputError
from compiler.kustomize.tree import Tree
from compiler.objects import Obj
from compiler.pipeline import Built, build
from compiler.validate import Toolset, validate_tree
from tests.components import facts
from tests.components.projects import OVERLAY, POOL, STACK, TWO_POOLS, compiled, write

OVERRIDE = "overrides: {{devicePlugin: {{resources: {{limits: {{memory: {memory}}}}}}}}}\n"


def two_overlays(folder: Path, one: str, other: str, stack: str = STACK) -> Built:
    """Return a project of two clusters, with the lines of each after its pools."""
    write(
        folder,
        {
            "base/stack.yaml": stack,
            "overlays/one/overlay.yaml": f"{OVERLAY}cluster: one\n{POOL}{one}",
            "overlays/other/overlay.yaml": f"{OVERLAY}cluster: other\n{POOL}{other}",
        },
    )
    return build(folder)


def folders(built: Built, component: str) -> list[str]:
    """Return the folders of a component's bases."""
    return sorted(
        path.rpartition("/")[0] for path in built.files if path.endswith(f"base/{component}/kustomization.yaml")
    )


@pytest.fixture(scope="module")
def suffixed(tools: Toolset, tmp_path_factory: pytest.TempPathFactory) -> list[Obj]:
    """Return what kustomize builds for two pools."""
    folder = tmp_path_factory.mktemp("two")
    result = validate_tree(compiled(folder, TWO_POOLS).tree, tools, folder)
    assert result.diagnostics == []
    return result.built["overlays/lab"]


def test_kustomize_renames_every_reference_that_a_suffix_touches(suffixed: list[Obj]) -> None:
    assert facts.dangling_references(suffixed) == []


@pytest.mark.parametrize("pool", ["named", "labelled"])
def test_the_pods_of_a_pool_mount_the_configuration_of_that_pool(suffixed: list[Obj], pool: str) -> None:
    mounted = {
        re.sub(r"-[a-z0-9]{10}$", "", volume["configMap"]["name"])
        for obj in facts.of_kind(suffixed, "DaemonSet")
        for volume in facts.pod(obj)["spec"]["volumes"]
        if obj["metadata"]["name"].endswith(f"-{pool}") and "configMap" in volume
    }
    assert mounted == {f"nvidia-device-plugin-config-{pool}", f"dcgm-exporter-counters-{pool}"}


def test_the_selectors_of_two_pools_are_disjoint(suffixed: list[Obj]) -> None:
    assert facts.overlapping_selectors(suffixed) == []


def test_one_service_selects_the_exporters_of_both_pools(suffixed: list[Obj]) -> None:
    (service,) = facts.of_kind(suffixed, "Service")
    selected = [
        obj["metadata"]["name"]
        for obj in facts.of_kind(suffixed, *facts.WORKLOADS)
        if facts.selects(service["spec"]["selector"], facts.pod(obj)["metadata"]["labels"])
    ]
    assert sorted(selected) == ["dcgm-exporter-labelled", "dcgm-exporter-named"]


def test_two_overlays_share_their_bases(tmp_path: Path) -> None:
    built = two_overlays(tmp_path, "", "")
    assert folders(built, "device-plugin") == ["base/device-plugin"]


def test_an_override_gives_an_overlay_a_base_of_its_own_where_it_changes_one(tmp_path: Path) -> None:
    built = two_overlays(tmp_path, "", OVERRIDE.format(memory="64Mi"))
    pooled = {component: folders(built, f"{component}/pool") for component in ("device-plugin", "dcgm-exporter")}
    assert pooled == {
        "device-plugin": ["base/device-plugin/pool", "overlays/other/base/device-plugin/pool"],
        "dcgm-exporter": ["base/dcgm-exporter/pool"],
    }


def test_an_override_that_says_the_same_changes_nothing(tmp_path: Path) -> None:
    plain = two_overlays(tmp_path / "plain", "", "")
    same = two_overlays(tmp_path / "same", "", "overrides: {devicePlugin: {version: v0.20.0}}\n")
    assert same.files == plain.files


def test_a_base_that_no_overlay_uses_is_not_written(tmp_path: Path) -> None:
    overrides = OVERRIDE.format(memory="64Mi")
    built = two_overlays(tmp_path, overrides, OVERRIDE.format(memory="65Mi"))
    assert folders(built, "device-plugin/pool") == [
        "overlays/one/base/device-plugin/pool",
        "overlays/other/base/device-plugin/pool",
    ]


def test_a_component_that_an_overlay_switches_off_is_missing_there_only(tmp_path: Path) -> None:
    built = two_overlays(tmp_path, "", "overrides: {gpuFeatureDiscovery: {enabled: false}}\n")
    roots = {name: root.expected for name, root in built.tree.roots.items()}
    having = [name for name in ("overlays/one", "overlays/other") if "gpu-feature-discovery" in str(roots[name])]
    assert having == ["overlays/one"]


def test_a_component_that_an_overlay_switches_on_is_in_its_own_base(tmp_path: Path) -> None:
    stack = STACK + "gpuFeatureDiscovery: {enabled: false}\n"
    built = two_overlays(tmp_path, "", "overrides: {gpuFeatureDiscovery: {enabled: true}}\n", stack)
    assert folders(built, "gpu-feature-discovery") == ["overlays/other/base/gpu-feature-discovery"]


def test_every_file_lies_in_exactly_one_kustomization_or_is_named_by_it(tmp_path: Path) -> None:
    built = compiled(tmp_path, TWO_POOLS)
    stack = {path for path in built.files if path.startswith(("base/", "overlays/"))}
    orphans = []
    for path in stack:
        folder, _, name = path.rpartition("/")
        if name != "kustomization.yaml":
            parent = (
                built.files.get(f"{folder}/kustomization.yaml")
                or built.files[f"{folder.rpartition('/')[0]}/kustomization.yaml"]
            )
            orphans += [] if name in parent else [path]
    assert orphans == []


def test_one_more_replica_changes_one_line(tmp_path: Path) -> None:
    built = [
        compiled(tmp_path / str(replicas), TWO_POOLS.replace("replicas: 4", f"replicas: {replicas}"))
        for replicas in (4, 6)
    ]
    changed = {
        (path, before, after)
        for path, text in built[0].files.items()
        if path.startswith(("base/", "overlays/"))
        for before, after in zip(text.splitlines(), built[1].files[path].splitlines(), strict=True)
        if before != after
    }
    config = "overlays/lab/pools/named/nvidia-device-plugin-config/config.yaml"
    assert changed == {(config, "      replicas: 4", "      replicas: 6")}


def test_a_tree_refuses_two_contents_for_one_path() -> None:
    tree = Tree()
    tree.add("a", "x", "data")
    tree.add("a", "x", "data")
    with pytest.raises(InputError):
        tree.add("a", "y", "data")
