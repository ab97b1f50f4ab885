"""Exit codes that scripts rely on, each with what the user is told."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import pytest

from compiler import pipeline
from compiler.diagnostics import Diagnostic
from compiler.errors import EnvironmentFailure
from compiler.tools import failures, find_tool
from tests.inputs.project import OVERLAY, SENTINEL, STACK, edited, gpuc, write
from tests.write.support import tree

Capture = pytest.CaptureFixture[str]
BROKEN = {OVERLAY: edited(OVERLAY, "replicas: 5", "replics: 5")}
WARNED = {STACK: edited(STACK, "version: v0.20.0", "version: v0.99.0")}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path)


@pytest.fixture
def compiled(root: Path, capsys: Capture) -> Path:
    assert gpuc(capsys, "compile", "--root", root).code == 0
    return root


def test_a_compiled_project_is_0(root: Path, capsys: Capture) -> None:
    result = gpuc(capsys, "compile", "--root", root)
    assert (result.code, result.stderr) == (0, "")
    assert result.stdout.startswith("worker4: ")
    assert result.stdout.endswith(" added\n")


def test_a_current_project_is_0(compiled: Path, capsys: Capture) -> None:
    result = gpuc(capsys, "check", "--root", compiled)
    assert (result.code, result.stderr) == (0, "")
    assert result.stdout.endswith("; out/ is current\n")


def test_compiling_again_says_that_nothing_changed(compiled: Path, capsys: Capture) -> None:
    assert gpuc(capsys, "compile", "--root", compiled).stdout.endswith("; out/ is current\n")


def test_warnings_are_0_and_printed(tmp_path: Path, capsys: Capture) -> None:
    result = gpuc(capsys, "compile", "--root", write(tmp_path, WARNED))
    assert result.code == 0
    assert "warning[GPU105]" in result.stderr
    assert result.stderr.endswith("\n1 warning\n")


@pytest.mark.parametrize("command", ["compile", "check"])
def test_errors_in_the_inputs_are_1(command: str, tmp_path: Path, capsys: Capture) -> None:
    result = gpuc(capsys, command, "--root", write(tmp_path, BROKEN))
    assert (result.code, result.stdout) == (1, "")
    assert result.stderr.endswith("\n1 error\n")


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["compiel"], id="no such command"),
        pytest.param(["compile", "--forse"], id="no such option"),
        pytest.param(["compile", "--format", "xml"], id="no such format"),
        pytest.param(["compile", "--root", "/nowhere/at/all"], id="no such folder"),
        pytest.param(["compile", "extra"], id="an argument too many"),
        pytest.param(["check", "--root"], id="an option without its value"),
    ],
)
def test_wrong_usage_is_2(arguments: list[str], capsys: Capture) -> None:
    result = gpuc(capsys, *arguments)
    assert (result.code, result.stdout) == (2, "")
    assert "Error: " in result.stderr or "Error \u2500" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("command", ["compile", "check"])
def test_nothing_to_compile_is_3(command: str, tmp_path: Path, capsys: Capture) -> None:
    result = gpuc(capsys, command, "--root", tmp_path)
    assert result.code == 3
    assert "there is neither base/stack.yaml nor an overlay" in result.stderr


def test_a_stack_without_overlays_is_3(tmp_path: Path, capsys: Capture) -> None:
    write(tmp_path)
    (tmp_path / OVERLAY).unlink()
    (tmp_path / OVERLAY).parent.rmdir()
    result = gpuc(capsys, "compile", "--root", tmp_path)
    assert (result.code, (tmp_path / SENTINEL).is_file()) == (3, True)


def test_a_stale_out_is_4_and_check_says_which_lines(compiled: Path, capsys: Capture) -> None:
    write(compiled, {OVERLAY: edited(OVERLAY, "replicas: 5", "replicas: 6")})
    before = tree(compiled)
    result = gpuc(capsys, "check", "--root", compiled)
    assert result.code == 4
    config = "out/overlays/worker4/pools/worker4/nvidia-device-plugin-config/config.yaml"
    _, found, shown = result.stdout.partition(f"--- {config} (on disk)\n+++ {config} (compiled)\n")
    assert found
    assert [line for line in shown.splitlines() if line[0] in "+-"] == ["-      replicas: 5", "+      replicas: 6"]
    assert result.stderr == "out/ is stale: run `gpuc compile` and commit the result\n"
    assert tree(compiled) == before


def test_an_out_that_was_never_compiled_is_4(root: Path, capsys: Capture) -> None:
    result = gpuc(capsys, "check", "--root", root)
    assert result.code == 4
    assert "+++ out/.gpuc.json (compiled)" in result.stdout


@pytest.mark.parametrize("style", ["json", "github"])
def test_a_stale_out_is_4_in_every_format(style: str, root: Path, capsys: Capture) -> None:
    assert gpuc(capsys, "check", "--root", root, "--format", style).code == 4


@pytest.mark.parametrize("name", ["kubeconform", "kustomize"])
def test_a_missing_tool_is_5(name: str, root: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    real = find_tool

    def find(wanted: str, *rest: object) -> Path:
        if wanted == name:
            raise failures.no_folder_known(f"{name} is nowhere")
        return real(wanted, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "find_tool", find)
    before = tree(root / "out")
    result = gpuc(capsys, "compile", "--root", root)
    assert (result.code, tree(root / "out")) == (5, before)
    assert "= help: " in result.stderr


def test_another_run_that_holds_the_lock_is_5(root: Path, capsys: Capture) -> None:
    holder = "import sys; from compiler.write import lock; from pathlib import Path\n"
    holder += f"with lock(Path({str(root)!r})): print(flush=True); sys.stdin.read()"
    other = subprocess.Popen([sys.executable, "-c", holder], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert other.stdout
    other.stdout.readline()
    result = gpuc(capsys, "compile", "--root", root)
    other.communicate(timeout=30)
    assert result.code == 5
    assert "another gpuc (process " in result.stderr


def test_an_unreadable_input_is_5(root: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    import os  # noqa: PLC0415 -- what is patched

    real = os.open

    def refuse(path: str, *rest: int, **more: int) -> int:
        if str(path).endswith("stack.yaml"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return real(path, *rest, **more)

    monkeypatch.setattr(os, "open", refuse)
    result = gpuc(capsys, "compile", "--root", root)
    assert result.code == 5
    assert "cannot read base/stack.yaml: Permission denied" in result.stderr


@pytest.mark.parametrize(
    "problem",
    [OSError(errno.ENOSPC, "No space left on device"), PermissionError(errno.EACCES, "Permission denied")],
    ids=["disk full", "no permission"],
)
def test_out_that_cannot_be_written_is_5_and_stays(
    problem: OSError, compiled: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(compiled, {OVERLAY: edited(OVERLAY, "replicas: 5", "replicas: 6")})
    before = tree(compiled / "out")

    def fail(*_: object, **__: object) -> None:
        raise problem

    monkeypatch.setattr("compiler.write.stage.os.open", fail)
    result = gpuc(capsys, "compile", "--root", compiled)
    assert (result.code, tree(compiled / "out")) == (5, before)
    assert str(problem.strerror) in result.stderr
    assert "Traceback" not in result.stderr


def test_a_bug_is_70_and_asks_to_be_reported(root: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Path) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("compiler.cli.compile.build", fail)
    result = gpuc(capsys, "compile", "--root", root)
    assert (result.code, result.stdout) == (70, "")
    assert "ZeroDivisionError" in result.stderr
    assert result.stderr.endswith("this is a bug in gpuc: please report it with the lines above\n")


def test_an_uncommitted_hand_edit_is_kept_until_forced(compiled: Path, capsys: Capture) -> None:
    path = compiled / "out/base/namespace/namespace-nvidia-gpu-operator.yaml"
    git = ["git", "-C", str(compiled), "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        subprocess.run([*git, *arguments], check=True)
    text = path.read_text(encoding="utf-8")
    path.write_text(text + "# mine\n", encoding="utf-8")
    refused = gpuc(capsys, "compile", "--root", compiled)
    assert refused.code == 1
    assert path.read_text(encoding="utf-8").endswith("# mine\n")
    assert "out/base/namespace/namespace-nvidia-gpu-operator.yaml" in refused.stderr
    assert "--force" in refused.stderr
    assert gpuc(capsys, "compile", "--root", compiled, "--force").code == 0
    assert path.read_text(encoding="utf-8") == text


def test_a_dirty_tree_elsewhere_does_not_matter(compiled: Path, capsys: Capture) -> None:
    subprocess.run(["git", "-C", str(compiled), "init", "-q"], check=True)
    (compiled / "note.txt").write_text("mine\n", encoding="utf-8")
    assert gpuc(capsys, "compile", "--root", compiled).code == 0


def test_findings_without_a_place_are_printed_too(root: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Path) -> None:
        raise EnvironmentFailure(Diagnostic("GPU900", "the moon is missing", help="wait"))

    monkeypatch.setattr("compiler.cli.compile.build", fail)
    assert gpuc(capsys, "compile", "--root", root).stderr == (
        "error[GPU900]: the moon is missing\n  = help: wait\n\n1 error\n"
    )
    assert gpuc(capsys, "compile", "--root", root, "--format", "github").stdout == (
        "::error title=GPU900::the moon is missing%0Await\n"
    )
