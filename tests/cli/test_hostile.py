"""What inputs, file names and out/ hold never reaches the terminal as anything but visible text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compiler.cli.render import safe
from tests.inputs.project import OVERLAY, STACK, edited, gpuc, write

Capture = pytest.CaptureFixture[str]
RED = "\x1b[31m"
_CLUSTER = "cluster: homelab\n"
# Each is written with YAML's own escapes, which the loader cannot refuse as raw characters.
ESCAPES = {
    "terminal colours": "\\x1b[31mred",
    "window title": "\\x1b]0;owned\\x07",
    "backspaces": "good\\b\\b\\b\\bevil",
    "carriage return": "good\\revil",
    "line end": "a\\nerror[GPU000]: nothing is wrong",
    "right to left": "\\u202egro.live",
    "C1 control": "\\x9b31m",
    "line separator": "a\\u2028b",
    "tag characters": "a\\U000E0041b",
}


def is_visible(text: str) -> bool:
    return all(char == "\n" or char.isprintable() for char in text)


@pytest.mark.parametrize("style", ["text", "json", "github"])
@pytest.mark.parametrize("escape", ESCAPES.values(), ids=ESCAPES)
@pytest.mark.parametrize(
    "line",
    ['cluster: "{}"\n', 'cluster: homelab\n"{}": 1\n', 'cluster: homelab\nworkloads: ["{}"]\n'],
    ids=["value", "key", "item"],
)
def test_an_escape_in_an_input_is_shown_and_not_obeyed(
    line: str, escape: str, style: str, tmp_path: Path, capsys: Capture
) -> None:
    text = edited(OVERLAY, _CLUSTER, line.format(escape)).partition("workloads:\n  - ")[0]
    result = gpuc(capsys, "compile", "--root", write(tmp_path, {OVERLAY: text}), "--format", style)
    assert result.code == 1
    assert is_visible(result.stdout + result.stderr)


@pytest.mark.parametrize("style", ["text", "json", "github"])
def test_a_name_of_a_folder_is_shown_and_not_obeyed(style: str, tmp_path: Path, capsys: Capture) -> None:
    root = write(tmp_path, {f"overlays/{RED}a\n::error::b/overlay.yaml": "a: b\n"})
    result = gpuc(capsys, "compile", "--root", root, "--format", style)
    assert result.code == 1
    assert is_visible(result.stdout + result.stderr)
    assert not any(line.startswith("::error::b") for line in result.stdout.splitlines())


def test_a_value_cannot_forge_a_workflow_command(tmp_path: Path, capsys: Capture) -> None:
    root = write(tmp_path, {OVERLAY: edited(OVERLAY, _CLUSTER, 'cluster: "a\\n::stop-commands::x"\n')})
    result = gpuc(capsys, "compile", "--root", root, "--format", "github")
    assert [line.partition(" ")[0] for line in result.stdout.splitlines()] == ["::error"]


def test_what_is_in_out_is_shown_and_not_obeyed(tmp_path: Path, capsys: Capture) -> None:
    root = write(tmp_path)
    assert gpuc(capsys, "compile", "--root", root).code == 0
    path = root / "out/base/namespace/namespace-nvidia-gpu-operator.yaml"
    path.write_text(f"{RED}evil\r\n", encoding="utf-8")
    result = gpuc(capsys, "check", "--root", root)
    assert result.code == 4
    assert is_visible(result.stdout + result.stderr)


def test_json_keeps_what_it_escapes(tmp_path: Path, capsys: Capture) -> None:
    root = write(tmp_path, {OVERLAY: edited(OVERLAY, _CLUSTER, 'cluster: "\\u202ea"\n')})
    (found,) = gpuc(capsys, "compile", "--root", root, "--format", "json").findings
    assert "\u202ea" in found["message"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\x1bb", "a\\x1bb"), ("\u202e", "\\u202e"), ("\U000e0041", "\\U000e0041"), ("é→\n", "é→\n"), ("\t", "\\x09")],
    ids=["escape", "direction", "tag", "plain", "tab"],
)
def test_control_characters_are_spelled_out(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_a_secret_in_a_stack_is_not_repeated_beyond_its_line(tmp_path: Path, capsys: Capture) -> None:
    root = write(tmp_path, {STACK: edited(STACK, "handler: nvidia}", "handler: nvidia, token: hunter2hunter2}")})
    findings = gpuc(capsys, "compile", "--root", root, "--format", "json").stdout
    assert "hunter2" not in findings
    assert json.loads(findings)["findings"][0]["rule"] == "GPU030"
