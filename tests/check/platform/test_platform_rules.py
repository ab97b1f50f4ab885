"""Platforms: driver, extensions, CDI, MIG and MPS against the card and the operating system."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.diagnostics import Severity
from tests.check.inputs.cases import Case
from tests.check.support import GPU, MIG, SHARING, assert_found, assert_twin_passes, found, on_overlay, on_stack
from tests.inputs.project import OVERLAY, OVERLAY_TEXT, STACK, edited

ERROR, WARNING = Severity.ERROR, Severity.WARNING
_PASCAL = "gpu: {product: NVIDIA GeForce GTX 1060 6GB, memory: 6Gi}"
_A100 = "gpu: {product: NVIDIA A100-SXM4-80GB, memory: 80Gi}"
_LIST = "deviceListStrategy: [envvar]"
_NO_SHARING = {SHARING: "sharing: {strategy: none}"}


def _talos(content: str) -> dict[str, str]:
    return {MIG: f"    talos: {content}\n"}


CASES: tuple[tuple[Severity, Case], ...] = (
    (
        ERROR,
        Case(
            "talos-block-elsewhere",
            "GPU501",
            {
                STACK: edited(STACK, "{os: talos, version: v1.13.3}", "{os: generic}"),
                OVERLAY: OVERLAY_TEXT.replace(MIG, "    §talos: {}\n"),
            },
            ("its nodes do not run Talos", "os: talos"),
            {OVERLAY: OVERLAY_TEXT},
        ),
    ),
    (
        ERROR,
        on_overlay(
            "pascal-production",
            "GPU502",
            {GPU: _PASCAL, **_talos("{driver: §production, modules: proprietary}")},
            "is Pascal: the production branch of the driver dropped it",
            "`driver: lts` and `modules: proprietary`",
            mended={GPU: _PASCAL, **_talos("{driver: lts, modules: proprietary}")},
        ),
    ),
    (
        ERROR,
        on_overlay(
            "pascal-by-default",
            "GPU502",
            {GPU: _PASCAL, MIG: "    §talos: {modules: proprietary}\n"},
            "the production branch of the driver dropped it",
            mended={GPU: _PASCAL, **_talos("{driver: lts, modules: proprietary}")},
        ),
    ),
    (
        ERROR,
        on_overlay(
            "pascal-open",
            "GPU502",
            {GPU: _PASCAL, **_talos("{driver: lts, modules: §open}")},
            "the open kernel modules do not drive it",
            mended={GPU: _PASCAL, **_talos("{driver: lts, modules: proprietary}")},
        ),
    ),
    (
        ERROR,
        on_overlay(
            "blackwell-proprietary",
            "GPU502",
            _talos("{driver: production, modules: §proprietary}"),
            "is Blackwell: it needs the open kernel modules",
            mended=_talos("{driver: production, modules: open}"),
        ),
    ),
    (
        ERROR,
        on_overlay(
            "kepler",
            "GPU502",
            {GPU: "gpu: {product: Tesla K80}", **_talos("{driver: §lts, modules: proprietary}")},
            "no driver that Talos has knows it",
            mended={GPU: "gpu: {product: Tesla M60}", **_talos("{driver: lts, modules: proprietary}")},
        ),
    ),
    (
        ERROR,
        on_overlay(
            "toolkit-of-another-branch",
            "GPU503",
            _talos(
                "{driver: production, extensions: [siderolabs/iscsi-tools, §siderolabs/nvidia-container-toolkit-lts]}"
            ),
            "does not go with driver production and open modules",
            "siderolabs/nvidia-open-gpu-kernel-modules-production",
            mended=_talos("{driver: production, extensions: [siderolabs/iscsi-tools]}"),
        ),
    ),
    (
        ERROR,
        on_overlay(
            "modules-twice",
            "GPU503",
            _talos("{driver: lts, extensions: [§siderolabs/nvidia-open-gpu-kernel-modules-lts]}"),
            "is added by gpuc already",
            mended=_talos("{driver: lts}"),
        ),
    ),
    (
        ERROR,
        on_stack(
            "hook-of-another-system",
            "GPU504",
            _LIST,
            "deviceListStrategy: [cdi-cri]\n  cdi: {hookPath: §/usr/bin/nvidia-cdi-hook}",
            "Talos v1.13.3 has the CDI hook at /usr/local/bin/nvidia-cdi-hook",
            mended="deviceListStrategy: [cdi-cri]\n  cdi: {hookPath: /usr/local/bin/nvidia-cdi-hook}",
        ),
    ),
    (
        ERROR,
        on_overlay(
            "mig-instances-of-a-geforce",
            "GPU505",
            {**_NO_SHARING, MIG: "    mig: {strategy: §single, profiles: [{name: 1g.10gb, count: 2}]}\n"},
            "NVIDIA GeForce RTX 5070 Ti has no MIG: there will be none of these instances",
            mended={
                GPU: _A100,
                **_NO_SHARING,
                MIG: "    mig: {strategy: single, profiles: [{name: 1g.10gb, count: 2}]}\n",
            },
        ),
    ),
    (
        WARNING,
        on_overlay(
            "mig-strategy-of-a-geforce",
            "GPU505",
            {**_NO_SHARING, MIG: "    mig: {strategy: §single}\n"},
            "the strategy changes nothing",
        ),
    ),
    (
        WARNING,
        on_overlay(
            "mig-profile-of-another-card",
            "GPU505",
            {
                GPU: _A100,
                **_NO_SHARING,
                MIG: "    mig: {strategy: single, profiles: [{name: §1g.5gb, count: 7}]}\n",
                "vram: 6Gi": "slices: 1",
            },
            "is not known to have the MIG profile 1g.5gb",
            "1g.10gb",
            mended={
                GPU: _A100,
                **_NO_SHARING,
                MIG: "    mig: {strategy: single, profiles: [{name: 1g.10gb, count: 7}]}\n",
            },
        ),
    ),
    (
        ERROR,
        on_overlay(
            "more-mig-than-a-card-has",
            "GPU505",
            {
                GPU: _A100,
                **_NO_SHARING,
                MIG: "    mig: {strategy: mixed, profiles: §[{name: 3g.40gb, count: 2}, {name: 2g.20gb, count: 1}]}\n",
            },
            "need 8 slices and a card has 7",
            mended={
                GPU: _A100,
                **_NO_SHARING,
                MIG: "    mig: {strategy: mixed, profiles: [{name: 3g.40gb, count: 2}, {name: 1g.10gb, count: 1}]}\n",
            },
        ),
    ),
    (
        WARNING,
        on_stack(
            "profiling-on-geforce",
            "GPU506",
            "serviceMonitor: {enabled: true}",
            "profiling: §true",
            "GeForce cards have no DCGM_FI_PROF_* metrics",
            mended="profiling: false",
        ),
    ),
    (
        ERROR,
        on_overlay(
            "mps-on-pascal",
            "GPU507",
            {GPU: _PASCAL, SHARING: "sharing: {strategy: mps, replicas: §17}", "vram: 6Gi": "slices: 1"},
            "MPS on a Pascal card takes 16 clients, not 17",
            mended={GPU: _PASCAL, SHARING: "sharing: {strategy: mps, replicas: 16}", "vram: 6Gi": "slices: 1"},
        ),
    ),
    (
        WARNING,
        on_stack(
            "external-namespace",
            "GPU508",
            "namespace: nvidia-gpu-operator",
            "namespace: {name: gpu, managed: §external}",
            "Talos refuses every pod of the stack",
            "enforce: privileged",
            mended="namespace: {name: gpu, managed: gpuc}",
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


@pytest.mark.parametrize("product", ["NVIDIA Something 9000", "NVIDIA GeForce RTX 3090", "NVIDIA L40S", "Tesla T4"])
@pytest.mark.parametrize("talos", ["{driver: lts, modules: proprietary}", "{driver: production, modules: open}"])
def test_any_driver_goes_with_turing_to_hopper_and_with_cards_that_are_not_known(
    product: str, talos: str, tmp_path: Path
) -> None:
    text = OVERLAY_TEXT.replace(GPU, f"gpu: {{product: {product}}}").replace(MIG, f"    talos: {talos}\n")
    assert found(tmp_path, {OVERLAY: text}) == []


def test_a_generic_platform_is_not_judged_by_talos_facts(tmp_path: Path) -> None:
    stack = edited(STACK, "{os: talos, version: v1.13.3}", "{os: generic}").replace(
        "namespace: nvidia-gpu-operator", "namespace: {name: gpu, managed: external}"
    )
    hook = "deviceListStrategy: [cdi-cri]\n  cdi: {hookPath: /usr/bin/nvidia-cdi-hook}"
    stack = stack.replace(_LIST, hook).replace("deviceDiscoveryStrategy: nvml", "deviceDiscoveryStrategy: auto")
    assert found(tmp_path, {STACK: stack}) == []
