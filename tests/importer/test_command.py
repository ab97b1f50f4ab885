"""`gpuc import`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compiler.errors import ExitCode
from compiler.pipeline import build
from tests.inputs.project import Result, gpuc
from tests.write.support import tree

Capture = pytest.CaptureFixture[str]
GOOD = """\
runtimeClassName: nvidia
deviceDiscoveryStrategy: nvml
failOnInitError: false
priorityClassName: system-node-critical
nvidiaDevRoot: /dev-root
tolerations:
  - {key: dedicated, operator: Equal, value: ai, effect: NoSchedule}
gfd: {enabled: true}
nfd: {worker: {tolerations: [{key: dedicated, operator: Equal, value: ai, effect: NoSchedule}]}}
"""
BAD = f"{GOOD}mps: {{nodeSelector: {{a: b}}}}\n"


def run(capsys: Capture, tmp_path: Path, text: str, *arguments: str) -> tuple[Result, Path]:
    root = tmp_path / "project"
    root.mkdir(exist_ok=True)
    (tmp_path / "values.yaml").write_text(text, encoding="utf-8")
    found = gpuc(
        capsys, "import", tmp_path / "values.yaml", "--root", root, "--chart", "nvidia-device-plugin",
        "--node", "gpu-1:10.0.0.1", "--os-version", "v1.13.3", *arguments,
    )  # fmt: skip
    return found, root


def test_it_writes_inputs_that_compile_and_says_what_became_of_each_value(tmp_path: Path, capsys: Capture) -> None:
    result, root = run(capsys, tmp_path, GOOD)
    assert (result.code, result.stderr) == (0, "")
    assert build(root).diagnostics == []
    for value in ("failOnInitError: false", 'nvidiaDevRoot: "/dev-root"', "gfd.enabled: true", "tolerations[0]"):
        assert value in result.stdout
    line = next(line for line in result.stdout.splitlines() if "devicePlugin.failOnInitError" in line)
    number = int(line.split(":")[1].split()[0])
    assert (root / "base/stack.yaml").read_text(encoding="utf-8").splitlines()[
        number - 1
    ].strip() == "failOnInitError: false"


def test_something_wrong_is_1_and_nothing_is_written(tmp_path: Path, capsys: Capture) -> None:
    result, root = run(capsys, tmp_path, BAD)
    assert result.code == ExitCode.FINDINGS
    assert result.stdout.startswith("Wrong as written")
    assert "mps.nodeSelector" in result.stdout
    assert "nothing was written" in result.stderr
    assert list(root.iterdir()) == []


def test_force_writes_what_there_is_and_still_ends_with_1(tmp_path: Path, capsys: Capture) -> None:
    result, root = run(capsys, tmp_path, BAD, "--force")
    assert result.code == ExitCode.FINDINGS
    assert build(root).diagnostics == []


def test_print_writes_nothing(tmp_path: Path, capsys: Capture) -> None:
    result, root = run(capsys, tmp_path, GOOD, "--print")
    assert result.code == 0
    assert "kind: GPUStack" in result.stdout
    assert list(root.iterdir()) == []


def test_the_report_is_there_for_machines(tmp_path: Path, capsys: Capture) -> None:
    result, _ = run(capsys, tmp_path, GOOD, "--format", "json", "--print")
    data, _ = json.JSONDecoder().raw_decode(result.stdout)
    found = {item["name"]: (item["outcome"], item["place"]["line"]) for item in data["entries"]}
    assert found["failOnInitError"] == ("translated", 3)
    assert found["nvidiaDevRoot"] == ("unexpressed", 5)


def test_an_input_that_exists_is_never_overwritten(tmp_path: Path, capsys: Capture) -> None:
    _, root = run(capsys, tmp_path, GOOD)
    before = tree(root)
    result, _ = run(capsys, tmp_path, f"{GOOD}migStrategy: single\n", "--force")
    assert result.code == ExitCode.FINDINGS
    assert "GPU071" in result.stderr
    assert tree(root) == before


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--chart", "gpu-operator"), ExitCode.USAGE),
        (("--node", "No_Good"), ExitCode.USAGE),
        (("--name", "../x"), ExitCode.FINDINGS),
    ],
    ids=["chart", "node", "name"],
)
def test_bad_options_write_nothing(arguments: tuple[str, ...], code: ExitCode, tmp_path: Path, capsys: Capture) -> None:
    result, root = run(capsys, tmp_path, GOOD, *arguments)
    assert result.code == code
    assert list(root.iterdir()) == []
    assert "Traceback" not in result.stderr


def test_a_file_that_is_not_there_is_told(tmp_path: Path, capsys: Capture) -> None:
    result = gpuc(capsys, "import", tmp_path / "none.yaml", "--root", tmp_path)
    assert result.code == ExitCode.FINDINGS
    assert "does not exist" in result.stderr


def test_the_terminal_is_safe_from_values(tmp_path: Path, capsys: Capture) -> None:
    result, _ = run(capsys, tmp_path, f'{GOOD}nodeSelector: {{"a\\e[2J": "\\u202e"}}\n')
    assert "\x1b" not in result.stdout + result.stderr
    assert "\u202e" not in result.stdout + result.stderr
