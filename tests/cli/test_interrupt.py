"""Ctrl-C at any stage ends the run with 130 and one line, and leaves out/ as it was or complete."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from compiler.cli import interrupt
from tests.inputs.project import OVERLAY, edited, gpuc, write
from tests.write.support import tree

GPUC = [sys.executable, "-c", "from compiler.cli import main; main()"]
STAGES = [
    "compiler.cli.compile.lock",
    "compiler.cli.compile.recover",
    "compiler.cli.compile.build",
    "compiler.pipeline.find_inputs",
    "compiler.pipeline.load_document",
    "compiler.pipeline.read_project",
    "compiler.pipeline.check",
    "compiler.pipeline.read_patches",
    "compiler.pipeline.lay_out",
    "compiler.pipeline.find_tool",
    "compiler.pipeline.validate_tree",
    "compiler.cli.compile.plan",
    "compiler.cli.compile.apply",
    "compiler.write.stage.os.open",
    "compiler.cli.compile.report",
]


@pytest.mark.parametrize("stage", STAGES)
def test_an_interrupted_stage_leaves_out_alone(
    stage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path)
    before = tree(root / "out")

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(stage, stop)
        result = gpuc(capsys, "compile", "--root", root)
    assert result.code == 130
    assert result.stderr.strip().splitlines()[-1] == interrupt.MESSAGE
    assert "Traceback" not in result.stderr
    if stage != "compiler.cli.compile.report":
        assert tree(root / "out") == before
    assert gpuc(capsys, "compile", "--root", root).code == 0


def test_a_library_that_hides_the_interrupt_does_not_make_it_a_bug(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def hide(_: Path) -> None:
        try:
            interrupt._remember(signal.SIGINT, None)
        except KeyboardInterrupt as error:
            raise ValueError from error

    monkeypatch.setattr(interrupt, "_seen", [])
    monkeypatch.setattr("compiler.cli.compile.build", hide)
    result = gpuc(capsys, "compile", "--root", write(tmp_path))
    assert (result.code, result.stderr) == (130, f"{interrupt.MESSAGE}\n")


@pytest.mark.parametrize("delay", [0.0, 0.1, 0.25, 0.4])
def test_a_real_interrupt_leaves_an_old_or_a_new_out(delay: float, tmp_path: Path) -> None:
    root = write(tmp_path / "project")
    subprocess.run([*GPUC, "compile", "--root", str(root)], check=True, capture_output=True)
    old = tree(root / "out")
    write(root, {OVERLAY: edited(OVERLAY, "replicas: 5", "replicas: 6")})
    lock = root / ".gpuc-work/lock"
    lock.unlink()
    with subprocess.Popen(
        [*GPUC, "compile", "--root", str(root)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        deadline = time.monotonic() + 30
        while not lock.exists() and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
    found = tree(root / "out")
    assert "Traceback" not in stderr
    if process.returncode == 130:
        assert stderr.strip().splitlines()[-1] == interrupt.MESSAGE
    else:
        assert (process.returncode, "2 changed" in stdout) == (0, True)
    subprocess.run([*GPUC, "compile", "--root", str(root)], check=True, capture_output=True)
    assert found in (old, tree(root / "out"))
