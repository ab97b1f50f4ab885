"""Accepting a finding in the overlay: it is silenced there alone, and an entry that silences nothing is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inputs.project import OVERLAY, OVERLAY_TEXT, STACK, edited, gpuc, write

CLUSTER = "cluster: homelab\n"
OLD_IMAGE = edited(STACK, "version: v0.20.0", "version: v0.99.0")
SECOND = "overlays/second/overlay.yaml"


def rules(tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, str]) -> tuple[int, list[str]]:
    result = gpuc(capsys, "compile", "--root", write(tmp_path, files), "--format", "json")
    return result.code, [
        f"{found['rule']} {found['place']['path']}:{found['place']['line']}" for found in result.findings
    ]


def ignoring(*codes: str, text: str = OVERLAY_TEXT) -> str:
    entries = "".join(f"  - {{rule: {code}, reason: looked at}}\n" for code in codes)
    return text.replace("nodePools:", f"ignore:\n{entries}nodePools:")


def test_a_finding_on_the_inputs_is_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert rules(tmp_path, capsys, {STACK: OLD_IMAGE}) == (0, ["GPU105 base/stack.yaml:11"])
    assert rules(tmp_path, capsys, {STACK: OLD_IMAGE, OVERLAY: ignoring("GPU105")}) == (0, [])


def test_an_error_of_a_rule_is_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = OVERLAY_TEXT.replace("vram: 6Gi", "vram: 17Gi")
    assert rules(tmp_path, capsys, {OVERLAY: text}) == (1, [f"GPU404 {OVERLAY}:12"])
    assert rules(tmp_path, capsys, {OVERLAY: ignoring("GPU404", text=text)}) == (0, [])


def test_what_one_environment_accepts_is_still_found_in_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    second = OVERLAY_TEXT.replace(CLUSTER, "cluster: other\n")
    files = {STACK: OLD_IMAGE, OVERLAY: ignoring("GPU105"), SECOND: second}
    assert rules(tmp_path, capsys, files) == (0, ["GPU105 base/stack.yaml:11"])
    assert rules(tmp_path, capsys, {**files, SECOND: ignoring("GPU105", text=second)}) == (0, [])


def test_an_entry_that_excuses_nothing_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = rules(tmp_path, capsys, {OVERLAY: ignoring("GPU105", "GPU404")})
    assert (code, found) == (0, [f"GPU112 {OVERLAY}:5", f"GPU112 {OVERLAY}:6"])


def test_a_second_entry_for_one_rule_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {STACK: OLD_IMAGE, OVERLAY: ignoring("GPU105", "GPU105")}
    result = gpuc(capsys, "compile", "--root", write(tmp_path, files))
    assert result.code == 0
    assert "warning[GPU112]: GPU105 is accepted here a second time" in result.stderr
    assert f"--> {OVERLAY}:6:12" in result.stderr
