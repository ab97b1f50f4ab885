"""Slices and VRAM: what cannot run is an error, what cannot run together a warning that names the workloads."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from compiler.diagnostics import Severity
from tests.check.inputs.cases import Case
from tests.check.support import (
    GPU,
    MIG,
    SHARING,
    WORKLOADS,
    assert_found,
    assert_twin_passes,
    found,
    on_overlay,
)
from tests.inputs.project import OVERLAY, OVERLAY_TEXT

ERROR, WARNING = Severity.ERROR, Severity.WARNING
_NODES = "nodes: [{name: k8s-worker4, address: 192.168.1.224}]"
_TWO_NODES = "nodes: [{name: n1}, {name: n2}]"


def _workloads(*vram: str) -> str:
    names = "abcdefghijklmnopqrst"
    return "".join(f"  - {{name: {names[i]}, namespace: x, vram: {size}}}\n" for i, size in enumerate(vram))


CASES: tuple[tuple[Severity, Case], ...] = (
    (
        WARNING,
        on_overlay(
            "more-workloads-than-slices",
            "GPU401",
            {
                SHARING: "sharing: {strategy: time-slicing, replicas: 2}",
                WORKLOADS: WORKLOADS + _workloads("1Gi", "1Gi").replace("{name: b", "{name: §b"),
            },
            "ask for 3 slices and it offers 2",
            "from b on",
            mended={
                SHARING: "sharing: {strategy: time-slicing, replicas: 3}",
                WORKLOADS: WORKLOADS + _workloads("1Gi", "1Gi"),
            },
        ),
    ),
    (
        WARNING,
        on_overlay(
            "unshared-card-with-two-workloads",
            "GPU401",
            {
                SHARING: "sharing: {strategy: none}",
                WORKLOADS: "  - {name: a, namespace: x}\n  - {name: §b, namespace: x}\n",
            },
            "ask for 2 slices and it offers 1",
            mended={SHARING: "sharing: {strategy: none}", WORKLOADS: "  - {name: a, namespace: x}\n"},
        ),
    ),
    (
        ERROR,
        on_overlay(
            "more-slices-than-a-node-has",
            "GPU402",
            {_NODES: _TWO_NODES, SHARING: "sharing: {strategy: none}", "vram: 6Gi": "slices: §2"},
            "asks for 2 slices, and a node of pool worker4 has 1",
            "at most 1",
            mended={_NODES: _TWO_NODES, SHARING: "sharing: {strategy: none}"},
        ),
    ),
    (
        ERROR,
        on_overlay(
            "two-slices-refused",
            "GPU403",
            {
                SHARING: "sharing: {strategy: time-slicing, replicas: 5, failRequestsGreaterThanOne: true}",
                "vram: 6Gi": "slices: §2",
            },
            "the plugin refuses the pod",
            "ask for one slice",
            mended={SHARING: "sharing: {strategy: time-slicing, replicas: 5, failRequestsGreaterThanOne: true}"},
        ),
    ),
    (
        ERROR,
        on_overlay(
            "two-slices-of-mps",
            "GPU403",
            {SHARING: "sharing: {strategy: mps, replicas: 2}", "vram: 6Gi": "slices: §2"},
            "the plugin refuses the pod",
            mended={SHARING: "sharing: {strategy: mps, replicas: 2}"},
        ),
    ),
    (WARNING, on_overlay("two-slices", "GPU403", {"vram: 6Gi": "slices: §2"}, "2 slices of one card are no faster")),
    (
        ERROR,
        on_overlay(
            "larger-than-the-card",
            "GPU404",
            {"vram: 6Gi": "vram: §17Gi"},
            "needs 17Gi of VRAM and gets at most 16Gi",
            "all that its cards have",
        ),
    ),
    (
        ERROR,
        on_overlay(
            "larger-than-an-mps-part",
            "GPU404",
            {SHARING: "sharing: {strategy: mps, replicas: 4}", "vram: 6Gi": "vram: §6Gi"},
            "gets at most 4Gi",
            "divided by 4 MPS clients",
            "time-slicing",
            mended={SHARING: "sharing: {strategy: mps, replicas: 2}"},
        ),
    ),
    (
        ERROR,
        on_overlay(
            "larger-than-an-instance",
            "GPU404",
            {
                GPU: "gpu: {product: NVIDIA A100-SXM4-80GB, memory: 80Gi}",
                SHARING: "sharing: {strategy: none}",
                MIG: "    mig: {strategy: single, profiles: [{name: 1g.10gb, count: 7}]}\n",
                "vram: 6Gi": "vram: §20Gi",
            },
            "gets at most 10Gi",
            "the largest MIG instance",
            mended={
                GPU: "gpu: {product: NVIDIA A100-SXM4-80GB, memory: 80Gi}",
                SHARING: "sharing: {strategy: none}",
                MIG: "    mig: {strategy: single, profiles: [{name: 3g.40gb, count: 2}]}\n",
                "vram: 6Gi": "vram: 20Gi",
            },
        ),
    ),
    (
        WARNING,
        on_overlay(
            "a-pair-does-not-fit",
            "GPU405",
            {
                WORKLOADS: "  - {name: ollama, namespace: x, vram: 6Gi}\n"
                "  - {name: comfyui, namespace: y, vram: §12Gi}\n"
            },
            "comfyui (12Gi) and ollama (6Gi) do not fit into the 16Gi of the card together",
            "at different times",
            mended={WORKLOADS: _workloads("6Gi", "10Gi")},
        ),
    ),
    (
        WARNING,
        on_overlay(
            "three-do-not-fit",
            "GPU405",
            {
                WORKLOADS: _workloads("6Gi", "6Gi", "5Gi").replace(
                    "{name: a, namespace: x, vram: 6Gi}", "{name: a, namespace: x, vram: §6Gi}"
                )
            },
            "a (6Gi), b (6Gi) and c (5Gi) do not fit",
            mended={WORKLOADS: _workloads("6Gi", "5Gi", "5Gi")},
        ),
    ),
    (
        WARNING,
        on_overlay(
            "three-large-ones-and-two-cards",
            "GPU405",
            {_NODES: _TWO_NODES, WORKLOADS: _workloads("9Gi", "§10Gi", "9Gi")},
            "b (10Gi), a (9Gi) and c (9Gi) do not fit into 2 cards of 16Gi together",
            mended={_NODES: _TWO_NODES, WORKLOADS: _workloads("9Gi", "10Gi", "7Gi")},
        ),
    ),
    (
        WARNING,
        on_overlay(
            "more-in-sum-than-two-cards",
            "GPU405",
            {_NODES: _TWO_NODES, WORKLOADS: _workloads("§8Gi", "8Gi", "8Gi", "7Gi", "2Gi")},
            "2 cards of 16Gi",
            "33Gi",
            mended={_NODES: _TWO_NODES, WORKLOADS: _workloads("8Gi", "8Gi", "8Gi", "7Gi", "1Gi")},
        ),
    ),
)
IDS = [case.id for _, case in CASES]


@pytest.mark.parametrize(("severity", "case"), CASES, ids=IDS)
def test_it_is_found_at_its_place(severity: Severity, case: Case, tmp_path: Path) -> None:
    assert_found(case, tmp_path, severity)


@pytest.mark.parametrize(("severity", "case"), CASES, ids=IDS)
def test_the_twin_passes(severity: Severity, case: Case, tmp_path: Path) -> None:  # noqa: ARG001 -- as above
    assert_twin_passes(case, tmp_path)


def test_worker4_names_the_pair_and_every_other_minimal_set() -> None:
    from compiler.check import check  # noqa: PLC0415 -- the shipped inputs are read for this test alone
    from compiler.pipeline import read  # noqa: PLC0415

    (only,) = check(read(Path(__file__).parents[3])).diagnostics
    assert (only.rule, only.severity) == ("GPU405", WARNING)
    assert only.place is not None
    assert only.place.text.strip() == "- {name: comfyui, namespace: comfyui, vram: 12Gi}"
    assert only.message.startswith("comfyui (12Gi) and ollama (6Gi) do not fit into the 16Gi of the card together")
    assert (only.help or "").endswith(
        "also too much: comfyui (12Gi), training (4Gi) and notebook (2Gi); "
        "comfyui (12Gi), training (4Gi) and katib-trial (2Gi)"
    )
    assert [related.place.text.strip() for related in only.related] == [
        "- {name: ollama, namespace: ollama, vram: 6Gi}"
    ]


def test_nothing_is_said_of_pools_whose_nodes_are_chosen_by_label(tmp_path: Path) -> None:
    text = OVERLAY_TEXT.replace(_NODES, "nodeSelector: {gpu: big}").replace(WORKLOADS, _workloads(*["9Gi"] * 12))
    assert found(tmp_path, {OVERLAY: text}) == []


def test_workloads_that_take_their_turn_on_an_unshared_card_do_not_share_vram(tmp_path: Path) -> None:
    text = OVERLAY_TEXT.replace(SHARING, "sharing: {strategy: none}").replace(_NODES, _TWO_NODES)
    assert found(tmp_path, {OVERLAY: text.replace(WORKLOADS, _workloads("12Gi", "12Gi"))}) == []


def test_two_hundred_workloads_take_less_than_a_second(tmp_path: Path) -> None:
    sizes = [f"{100 + index % 7 * 13}Mi" for index in range(200)]
    lines = "".join(f"  - {{name: w{i}, namespace: x, vram: {size}}}\n" for i, size in enumerate(sizes))
    text = OVERLAY_TEXT.replace("replicas: 5", "replicas: 500").replace(WORKLOADS, lines)
    start = time.process_time()
    (only,) = found(tmp_path, {OVERLAY: text})
    assert only.rule == "GPU405"
    assert time.process_time() - start < 1
