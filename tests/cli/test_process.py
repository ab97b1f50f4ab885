"""`gpuc` as a process: from anywhere, twice at once, into a closed pipe."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from compiler.cli.app import COMMANDS
from tests.inputs.project import OVERLAY, edited, write
from tests.write.support import tree

GPUC = [sys.executable, "-c", "from compiler.cli import main; main()"]


def run(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [*GPUC, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=120)


def test_places_are_relative_to_the_root_wherever_it_runs(tmp_path: Path) -> None:
    write(tmp_path / "project", {OVERLAY: edited(OVERLAY, "replicas: 5", "replics: 5")})
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    inside, outside = run("compile", cwd=tmp_path / "project"), run("compile", "--root", "../project", cwd=elsewhere)
    assert (inside.returncode, inside.stderr) == (outside.returncode, outside.stderr)
    assert f"--> {OVERLAY}:9:39\n" in inside.stderr


def test_a_root_given_from_elsewhere_is_the_one_that_is_written(tmp_path: Path) -> None:
    write(tmp_path / "project")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert run("compile", "--root", "../project", cwd=elsewhere).returncode == 0
    assert (tmp_path / "project/out/.gpuc.json").is_file()
    assert list(elsewhere.iterdir()) == []


def test_two_runs_at_once_leave_one_whole_out(tmp_path: Path) -> None:
    root = write(tmp_path)
    command = [*GPUC, "compile", "--root", str(root)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    ends = [(process.communicate(timeout=120)[1], process.returncode) for process in both]
    codes = sorted(code for _, code in ends)
    assert codes in ([0, 0], [0, 5])
    assert all("another gpuc (process " in stderr for stderr, code in ends if code == 5)
    assert run("check", "--root", root).returncode == 0


def test_no_arguments_print_the_help() -> None:
    result = run()
    assert "Usage: gpuc" in result.stdout + result.stderr


def test_the_help_names_every_command() -> None:
    result = run("--help")
    assert result.returncode == 0
    assert [name for name in COMMANDS if f"\n  {name} " not in result.stdout] == []


def test_the_version_is_printed() -> None:
    assert run("--version").stdout.startswith("gpuc ")


def test_a_closed_pipe_is_no_failure_and_no_traceback(tmp_path: Path) -> None:
    root = write(tmp_path)
    command = f'{sys.executable} -c "{GPUC[2]}" check --root {root} | head -c 1'
    result = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr, len(result.stdout)) == (0, "", 1)


@pytest.mark.parametrize("name", ["base/stack.yaml", "overlays/worker4/overlay.yaml"])
def test_a_mistake_ends_a_process_with_1_and_no_traceback(name: str, tmp_path: Path) -> None:
    root = write(tmp_path, {name: b"\xff\xfe\x00"})
    before = tree(root / "out")
    result = run("compile", "--root", root)
    assert (result.returncode, result.stdout) == (1, "")
    assert "Traceback" not in result.stderr
    assert tree(root / "out") == before
