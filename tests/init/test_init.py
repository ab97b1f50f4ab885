"""`gpuc init`: inputs that compile, from flags or from the cluster's nodes; nothing is asked, nothing overwritten."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from compiler.errors import ExitCode
from compiler.inputschema import schemas
from compiler.pipeline import build, read
from tests.inputs.project import Result, gpuc
from tests.write.support import tree

Capture = pytest.CaptureFixture[str]
WORKER4 = (
    "--name", "worker4", "--cluster", "homelab", "--namespace", "nvidia-gpu-operator",
    "--node", "k8s-worker4:192.168.1.224", "--taint", "dedicated=ai:NoSchedule",
    "--product", "NVIDIA GeForce RTX 5070 Ti", "--memory", "16Gi", "--count", "1", "--replicas", "5",
    "--os-version", "v1.13.3", "--kubernetes", "1.34",
)  # fmt: skip


def init(capsys: Capture, root: Path, *arguments: str) -> Result:
    return gpuc(capsys, "init", "--root", root, *arguments)


def node(name: str, **more: Any) -> dict[str, Any]:
    """Return a node as kubectl prints it; `labels`, `taints`, `allocatable`, `os` and `kubelet` may be given."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": more.get("labels", {})},
        "spec": {"taints": more.get("taints", []), **more.get("spec", {})},
        "status": {
            "allocatable": more.get("allocatable", {}),
            "addresses": [{"type": "InternalIP", "address": more.get("address", "10.0.0.1")}],
            "nodeInfo": {"osImage": more.get("os", "Ubuntu 24.04"), "kubeletVersion": more.get("kubelet", "v1.33.2")},
        },
    }


def saved(tmp_path: Path, *nodes: dict[str, Any]) -> str:
    path = tmp_path / "nodes.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(nodes)}), encoding="utf-8")
    return str(path)


TALOS_NODE = node(
    "k8s-worker4",
    address="192.168.1.224",
    os="Talos (v1.13.3)",
    kubelet="v1.34.1",
    taints=[
        {"key": "dedicated", "value": "ai", "effect": "NoSchedule"},
        {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"},
    ],
    labels={
        "extensions.talos.dev/nvidia-open-gpu-kernel-modules-lts": "580",
        "extensions.talos.dev/nvidia-container-toolkit-lts": "1",
        "extensions.talos.dev/iscsi-tools": "v0.2.0",
        "extensions.talos.dev/schematic": "abc",
        "nvidia.com/gpu.product": "NVIDIA-GeForce-RTX-5070-Ti-SHARED",
        "nvidia.com/gpu.memory": "16303",
        "nvidia.com/gpu.count": "1",
        "nvidia.com/gpu.replicas": "5",
        "nvidia.com/gpu.sharing-strategy": "time-slicing",
    },
)
PLAIN_NODE = node("k8s-master1", kubelet="v1.34.1", os="Talos (v1.13.3)")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        WORKER4,
        ("--os", "generic", "--no-monitoring"),
        ("--os", "talos"),
        ("--product", "NVIDIA GeForce GTX 1060", "--os", "talos"),
        ("--flux", "https://example.com/gpu.git"),
        ("--argocd", "ssh://git@example.com/gpu.git"),
        ("--node", "a", "--node", "b:fd00::1", "--replicas", "2"),
    ],
    ids=["nothing", "worker4", "generic", "talos", "old-card", "flux", "argocd", "two-nodes"],
)
def test_what_it_writes_compiles_without_findings(arguments: tuple[str, ...], tmp_path: Path, capsys: Capture) -> None:
    result = init(capsys, tmp_path, *arguments)
    assert (result.code, result.stderr) == (0, "")
    assert build(tmp_path).diagnostics == []


def test_worker4s_flags_give_worker4s_pool(tmp_path: Path, capsys: Capture) -> None:
    init(capsys, tmp_path, *WORKER4)
    environment = read(tmp_path).environments[0]
    pool = environment.overlay.node_pools[0].model_dump(mode="json", exclude={"talos"}, exclude_none=True)
    assert (environment.name, environment.overlay.cluster) == ("worker4", "homelab")
    assert environment.stack.device_plugin.device_discovery_strategy == "nvml"
    assert pool == {
        "name": "worker4",
        "nodes": [{"name": "k8s-worker4", "address": "192.168.1.224"}],
        "nodeSelector": {},
        "taints": [{"key": "dedicated", "value": "ai", "effect": "NoSchedule"}],
        "gpu": {"product": "NVIDIA GeForce RTX 5070 Ti", "count": 1, "memory": "16Gi"},
        "sharing": {
            "strategy": "time-slicing",
            "replicas": 5,
            "resources": [],
            "renameByDefault": False,
            "failRequestsGreaterThanOne": False,
        },
        "mig": {"strategy": "none", "profiles": []},
    }


def test_the_schemas_that_editors_need_come_too(tmp_path: Path, capsys: Capture) -> None:
    init(capsys, tmp_path)
    assert {name: (tmp_path / name).read_text(encoding="utf-8") for name in schemas()} == schemas()
    assert (tmp_path / "base/stack.yaml").read_text(encoding="utf-8").startswith("# yaml-language-server: $schema=")


def test_it_names_the_next_two_commands(tmp_path: Path, capsys: Capture) -> None:
    last = init(capsys, tmp_path).stdout.splitlines()[-1]
    assert last == "next: `gpuc check` says what would fail, `gpuc compile` writes out/"


def test_print_writes_nothing(tmp_path: Path, capsys: Capture) -> None:
    result = init(capsys, tmp_path, "--print")
    assert result.code == 0
    assert [line for line in result.stdout.splitlines() if line.startswith("kind:")] == [
        "kind: GPUStack",
        "kind: Overlay",
    ]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["base/stack.yaml", "overlays/gpu/overlay.yaml"])
def test_an_input_that_exists_is_never_overwritten(path: str, tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text("mine\n", encoding="utf-8")
    before = tree(tmp_path)
    result = init(capsys, tmp_path)
    assert result.code == ExitCode.FINDINGS
    assert "GPU071" in result.stderr
    assert "copy an overlay's folder" in result.stderr
    assert tree(tmp_path) == before


def test_nothing_is_left_of_a_write_that_failed(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "overlays").write_text("a file\n", encoding="utf-8")
    before = tree(tmp_path)
    result = init(capsys, tmp_path)
    assert result.code == ExitCode.ENVIRONMENT
    assert tree(tmp_path) == before


@pytest.mark.parametrize("link", ["base", "overlays", "overlays/gpu"])
def test_it_never_writes_through_a_link(link: str, tmp_path: Path, capsys: Capture) -> None:
    outside, root = tmp_path / "outside", tmp_path / "project"
    outside.mkdir()
    (root / link).parent.mkdir(parents=True)
    (root / link).symlink_to(outside)
    result = init(capsys, root)
    assert result.code == ExitCode.ENVIRONMENT
    assert "symbolic link" in result.stderr
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--node", "UPPER_case"), "is no node: write NAME or NAME:ADDRESS"),
        (("--node", "a:b c"), "is no node"),
        (("--taint", "dedicated"), "is no taint: write it as kubectl does"),
        (("--taint", "a=b:Never"), "is no taint"),
        (("--count", "0"), "--count"),
        (("--os", "windows"), "--os"),
        (("--nodes", "x.json", "--node", "a"), ""),
        (("--flux", "https://a/b", "--argocd", "https://a/b"), "one of the two"),
    ],
    ids=["name", "address", "taint", "effect", "count", "os", "both", "delivery"],
)
def test_an_option_that_cannot_be_read_is_told(
    arguments: tuple[str, ...], says: str, tmp_path: Path, capsys: Capture
) -> None:
    result = init(capsys, tmp_path, *arguments)
    assert result.code in {ExitCode.USAGE, ExitCode.FINDINGS}
    assert says in " ".join(result.stderr.replace("│", " ").split())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [("--name", "../../etc"), ("--name", "a/b"), ("--cluster", "No Good"), ("--memory", "16GB"), ("--flux", "ftp://x")],
    ids=["dots", "slash", "cluster", "memory", "url"],
)
def test_a_value_that_gpuc_refuses_writes_nothing(arguments: tuple[str, ...], tmp_path: Path, capsys: Capture) -> None:
    result = init(capsys, tmp_path, *arguments)
    assert result.code == ExitCode.FINDINGS
    assert "error[GPU" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_nodes_tell_everything_of_worker4(tmp_path: Path, capsys: Capture) -> None:
    root = tmp_path / "project"
    root.mkdir()
    result = init(capsys, root, "--nodes", saved(tmp_path, PLAIN_NODE, TALOS_NODE))
    assert (result.code, result.stderr) == (0, "")
    environment = read(root).environments[0]
    pool = environment.overlay.node_pools[0]
    assert [(one.name, one.address) for one in pool.nodes] == [("k8s-worker4", "192.168.1.224")]
    assert [taint.key for taint in pool.taints] == ["dedicated"]
    assert environment.stack.kubernetes.version == "1.34"
    assert environment.stack.platform.model_dump() == {"os": "talos", "version": "v1.13.3"}
    assert (pool.gpu.product, pool.gpu.memory, pool.gpu.count) == ("NVIDIA GeForce RTX 5070 Ti", "16303Mi", 1)
    assert (pool.sharing.strategy, getattr(pool.sharing, "replicas", None)) == ("time-slicing", 5)
    assert pool.talos is not None
    assert (pool.talos.driver, pool.talos.modules, pool.talos.extensions) == (
        "lts",
        "open",
        ("siderolabs/iscsi-tools",),
    )
    assert not environment.overlay.all_nodes_tainted


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"allocatable": {"nvidia.com/gpu": "1"}}, "it offers nvidia.com/gpu"),
        ({"labels": {"nvidia.com/gpu.present": "true"}}, "label nvidia.com/gpu.present"),
        (
            {"labels": {"feature.node.kubernetes.io/pci-0300_10de.present": "true"}},
            "label feature.node.kubernetes.io/pci-0300_10de.present",
        ),
        (
            {"labels": {"extensions.talos.dev/nvidia-container-toolkit-production": "1"}},
            "label extensions.talos.dev/nvidia-container-toolkit-production",
        ),
    ],
    ids=["allocatable", "gfd", "pci", "talos"],
)
def test_a_gpu_node_shows_itself_in_several_ways(
    more: dict[str, Any], reason: str, tmp_path: Path, capsys: Capture
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    result = init(capsys, root, "--nodes", saved(tmp_path, PLAIN_NODE, node("gpu-1", **more)))
    assert result.code == 0
    assert f"found gpu-1: {reason}" in result.stdout


def test_a_label_that_no_cluster_has_takes_no_time(tmp_path: Path, capsys: Capture) -> None:
    root = tmp_path / "project"
    root.mkdir()
    label = "feature.node.kubernetes.io/pci-" + "_10de" * 100_000
    start = time.process_time()
    result = init(capsys, root, "--nodes", saved(tmp_path, node("gpu-1", labels={label: "true"})))
    assert (result.code, "GPU072" in result.stderr) == (ExitCode.FINDINGS, True)
    assert time.process_time() - start < 10


def test_nodes_that_differ_become_pools(tmp_path: Path, capsys: Capture) -> None:
    root = tmp_path / "project"
    root.mkdir()
    label = "nvidia.com/gpu.product"
    nodes = [
        node("a", labels={label: "Tesla-T4", "nvidia.com/gpu.present": "true"}),
        node("b", labels={label: "NVIDIA-A100-SXM4-80GB", "nvidia.com/gpu.present": "true"}),
        node("c", labels={label: "Tesla-T4", "nvidia.com/gpu.present": "true"}),
    ]
    result = init(capsys, root, "--nodes", saved(tmp_path, *nodes))
    assert (result.code, result.stderr) == (0, "")
    pools = read(root).environments[0].overlay.node_pools
    assert [(pool.name, [one.name for one in pool.nodes]) for pool in pools] == [
        ("tesla-t4", ["a", "c"]),
        ("a100-sxm4-80gb", ["b"]),
    ]


def test_a_cluster_of_tainted_nodes_is_noticed(tmp_path: Path, capsys: Capture) -> None:
    root = tmp_path / "project"
    root.mkdir()
    init(capsys, root, "--nodes", saved(tmp_path, TALOS_NODE))
    assert read(root).environments[0].overlay.all_nodes_tainted


def test_a_kubernetes_that_gpuc_does_not_know_gets_the_nearest(tmp_path: Path, capsys: Capture) -> None:
    root = tmp_path / "project"
    root.mkdir()
    one = node("gpu-1", kubelet="v1.20.5", labels={"nvidia.com/gpu.present": "true"})
    result = init(capsys, root, "--nodes", saved(tmp_path, one))
    assert (result.code, read(root).stack.kubernetes.version) == (0, "1.29")
    assert "The cluster has 1.20" in (root / "base/stack.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("not json", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ("{}", "holds no nodes"),
        ("[1, null, {}]", "holds no nodes"),
        (json.dumps(PLAIN_NODE), "none of the 1 nodes"),
        (json.dumps({"items": "x"}), "holds no nodes"),
        (
            json.dumps(
                {
                    "items": [
                        {"metadata": {"name": "\x1b[2J", "labels": {"nvidia.com/gpu.present": "true"}}, "status": 3},
                        {"metadata": {"name": 5, "labels": ["x"]}, "spec": {"taints": {"a": 1}}},
                    ]
                }
            ),
            "none of the 2 nodes",
        ),
    ],
    ids=["text", "deep", "empty", "junk", "no-gpu", "items", "hostile"],
)
def test_a_list_without_gpu_nodes_is_told(content: str, says: str, tmp_path: Path, capsys: Capture) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "nodes.json").write_text(content, encoding="utf-8")
    result = init(capsys, root, "--nodes", str(tmp_path / "nodes.json"))
    assert result.code == ExitCode.FINDINGS
    assert says in result.stderr
    assert "\x1b" not in result.stderr
    assert list(root.iterdir()) == []
