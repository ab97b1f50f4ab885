"""The full text that a user sees for representative mistakes; `pytest --update-golden` writes it anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inputs.project import OVERLAY, STACK, edited, gpuc, write

SNAPSHOTS = Path(__file__).parent / "snapshots"
_HEAD = "apiVersion: gpuc/v1alpha1\nkind: Overlay\ncluster: homelab\n"
_SECOND = f"{_HEAD}nodePools: [{{name: a, nodes: [{{name: n}}]}}]\n"
_SHARING = "sharing: {strategy: time-slicing, replicas: 5}"
_WIDE = f"product: {'x' * 90}, memry: 16Gi, count: 1"

CASES: dict[str, dict[str, str]] = {
    "typo": {OVERLAY: edited(OVERLAY, "replicas: 5", "replics: 5")},
    "one-replica": {OVERLAY: edited(OVERLAY, "replicas: 5", "replicas: 1")},
    "unquoted-version": {STACK: edited(STACK, '"1.34"', "1.30")},
    "chart-values": {
        STACK: edited(
            STACK, "  deviceDiscoveryStrategy: nvml\n", "  config: {map: {default: x}}\n  migStrategy: none\n"
        )
    },
    "taint-as-text": {
        OVERLAY: edited(OVERLAY, "[{key: dedicated, value: ai, effect: NoSchedule}]", "['dedicated=ai:NoSchedule']")
    },
    "duplicate-key": {OVERLAY: edited(OVERLAY, "cluster: homelab\n", "cluster: homelab\ncluster: other\n")},
    "tab": {OVERLAY: edited(OVERLAY, "    gpu:", "\tgpu:")},
    "anchor": {STACK: edited(STACK, "namespace: nvidia", "namespace: &ns nvidia")},
    "override": {
        OVERLAY: edited(OVERLAY, "workloads:\n", "overrides:\n  platform: {os: generic}\nworkloads:\n"),
    },
    "one-cluster-twice": {"overlays/second/overlay.yaml": _SECOND},
    "warning": {STACK: edited(STACK, "version: v0.20.0", "version: v0.99.0")},
    "long-line": {OVERLAY: edited(OVERLAY, "product: NVIDIA GeForce RTX 5070 Ti, count: 1, memory: 16Gi", _WIDE)},
    "patch-for-nothing": {
        OVERLAY: edited(
            OVERLAY, "workloads:\n", "patches:\n  - {path: p.yaml, target: {kind: StatefulSet}}\nworkloads:\n"
        ),
        "overlays/worker4/p.yaml": "spec: {}\n",
    },
    "everything-at-once": {
        STACK: edited(STACK, "devicePlugin:", "devicePlugins:"),
        OVERLAY: edited(OVERLAY, _SHARING, "sharing: {strategy: timeslicing, replicas: 5}").replace("NoSchedule", "No"),
    },
}


FOR_PROGRAMS = ("typo", "one-cluster-twice", "everything-at-once")


def compare(name: str, text: str, *, update: bool) -> None:
    path = SNAPSHOTS / f"{name}.txt"
    if update:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_a_mistake_is_explained_to_a_person(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    result = gpuc(capsys, "compile", "--root", write(tmp_path, CASES[name]))
    compare(name, result.stderr, update=request.config.getoption("--update-golden"))


@pytest.mark.parametrize("style", ["json", "github"])
@pytest.mark.parametrize("name", FOR_PROGRAMS)
def test_a_mistake_is_told_to_a_program(
    name: str, style: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    result = gpuc(capsys, "compile", "--root", write(tmp_path, CASES[name]), "--format", style)
    assert result.stderr == ""
    compare(f"{name}.{style}", result.stdout, update=request.config.getoption("--update-golden"))


@pytest.mark.parametrize("command", ["compile", "check", "schema"])
def test_the_help_of_a_command_is_short_and_whole(
    command: str, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERMINAL_WIDTH", "80")
    result = gpuc(capsys, command, "--help")
    assert (result.code, result.stderr) == (0, "")
    compare(f"help.{command}", result.stdout, update=request.config.getoption("--update-golden"))


def test_no_snapshot_is_left_over() -> None:
    names = {*CASES, *(f"help.{command}" for command in ("compile", "check", "schema"))}
    names |= {f"{name}.{style}" for name in FOR_PROGRAMS for style in ("json", "github")}
    assert {path.stem for path in SNAPSHOTS.iterdir()} == names
