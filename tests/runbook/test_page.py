"""The page of an environment: golden pages, and nothing in them that the environment does not have."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from compiler.pipeline import read
from compiler.runbook.page import page
from tests.inputs.project import OVERLAY_TEXT, STACK_TEXT
from tests.runbook.environments import GENERIC_STACK, HEAD, TWO_POOLS, environment

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize(
    ("name", "overlay", "stack"),
    [("worker4", OVERLAY_TEXT, STACK_TEXT), ("two-pools-generic", TWO_POOLS, GENERIC_STACK)],
    ids=["worker4", "two-pools-generic"],
)
def test_the_golden_page(name: str, overlay: str, stack: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    actual = page(environment(tmp_path, overlay, stack))
    if request.config.getoption("--update-golden"):
        (GOLDEN / f"{name}.md").write_text(actual, encoding="utf-8")
    assert actual == (GOLDEN / f"{name}.md").read_text(encoding="utf-8")


def test_the_page_in_the_repository_is_current() -> None:
    (worker4,) = (item for item in read(ROOT).environments if item.name == "worker4")
    assert (ROOT / "out" / "docs" / "worker4.md").read_text(encoding="utf-8") == page(worker4)


def test_a_generic_node_has_no_talos(tmp_path: Path) -> None:
    assert "talos" not in page(environment(tmp_path, TWO_POOLS, GENERIC_STACK)).lower()


def test_a_talos_node_has_no_shell(tmp_path: Path) -> None:
    said = page(environment(tmp_path))
    assert "lsmod" not in said
    assert "`talosctl get extensions --nodes 192.168.1.224` lists" in said


def test_a_pool_with_its_own_platform_decides_what_is_said_of_it(tmp_path: Path) -> None:
    overlay = OVERLAY_TEXT.replace("    gpu:", "    platform: {os: generic}\n    gpu:")
    assert "lsmod" in page(environment(tmp_path, overlay))


def test_the_page_counts_what_the_cluster_has(tmp_path: Path) -> None:
    said = page(environment(tmp_path, OVERLAY_TEXT.replace("replicas: 5", "replicas: 7")))
    assert "`nvidia.com/gpu: 7`" in said
    assert "# 7\nkubectl get node k8s-worker4 -o jsonpath='{.status.allocatable.nvidia\\.com/gpu}'\n" in said


@pytest.mark.parametrize(
    ("sharing", "says"),
    [
        ("{strategy: time-slicing, replicas: 5}", "a share of the card's time, not of its memory"),
        ("{strategy: mps, replicas: 5}", "an equal part of the card's memory, and no more"),
        ("{strategy: none}", "Each slice is a whole card, whose memory is its pod's alone."),
    ],
    ids=["time-slicing", "mps", "none"],
)
def test_what_sharing_means_for_memory(sharing: str, says: str, tmp_path: Path) -> None:
    overlay = OVERLAY_TEXT.replace("{strategy: time-slicing, replicas: 5}", sharing)
    assert says in page(environment(tmp_path, overlay))


def test_a_product_is_never_read_as_markup(tmp_path: Path) -> None:
    product = "a|b <img src=x> `c` [d](e) *f*"
    overlay = f'{HEAD}nodePools:\n  - name: a\n    nodes: [{{name: n}}]\n    gpu: {{product: "{product}"}}\n'
    said = page(environment(tmp_path, overlay))
    (row,) = [line for line in said.splitlines() if line.startswith("| a |")]
    assert "a\\|b &#60;img src=x&#62; &#96;c&#96; &#91;d&#93;(e) &#42;f&#42;" in row
    assert len(re.findall(r"(?<!\\)\|", row)) == 5
    assert "<img" not in said


def test_external_nfd_is_looked_for_wherever_it_is(tmp_path: Path) -> None:
    external = "nodeFeatureDiscovery:\n  managed: external\n  labels: [nvidia.com/gpu.present]\n"
    stack = STACK_TEXT.replace("nodeFeatureDiscovery:\n  version: v0.19.0\n", external)
    said = page(environment(tmp_path, stack=stack))
    assert "`kubectl get pod -A -l app.kubernetes.io/name=node-feature-discovery -o wide`" in said


@pytest.mark.parametrize("overlay", [OVERLAY_TEXT, TWO_POOLS], ids=["worker4", "two-pools"])
def test_every_table_is_whole(overlay: str, tmp_path: Path) -> None:
    lines = page(environment(tmp_path, overlay)).splitlines()
    for above, line in pairwise(lines):
        if above.startswith("|") and line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", above)) == len(re.findall(r"(?<!\\)\|", line)), line
