"""Two runs at once, and what a killed run leaves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from compiler.errors import EnvironmentFailure, ExitCode
from compiler.write import lock, plan, recover
from tests.write.support import NEW, OLD, compile_to, owned_tree, stamps, tree, write

HOLD = "import sys\nfrom pathlib import Path\nfrom compiler.write import lock\n"
HOLD += "with lock(Path(sys.argv[1])):\n    print('held', flush=True)\n    sys.stdin.read()\n"


@contextmanager
def other_run(root: Path) -> Iterator[subprocess.Popen[str]]:
    """Let another process hold the lock."""
    command = [sys.executable, "-c", HOLD, str(root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_a_second_run_stops_and_names_the_first(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    before = stamps(tmp_path / "out")
    with other_run(tmp_path) as process, pytest.raises(EnvironmentFailure) as caught:
        compile_to(tmp_path, NEW)
    (found,) = caught.value.diagnostics
    actual = (found.rule, f"(process {process.pid})" in found.message, caught.value.exit_code)
    assert actual == ("GPU908", True, ExitCode.ENVIRONMENT)
    assert stamps(tmp_path / "out") == before


def test_a_killed_run_does_not_block_the_next(tmp_path: Path) -> None:
    with other_run(tmp_path) as process:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        compile_to(tmp_path, OLD)
    assert owned_tree(tmp_path / "out") == OLD


def test_readers_and_a_run_that_changes_nothing_need_no_lock(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    with other_run(tmp_path):
        recover(tmp_path)
        current = compile_to(tmp_path, OLD).is_current
    assert current


def test_two_folders_can_be_compiled_at_once(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    with other_run(tmp_path / "one"):
        compile_to(tmp_path / "two", OLD)
    assert owned_tree(tmp_path / "two/out") == OLD


def test_the_lock_may_be_held_around_a_whole_run(tmp_path: Path) -> None:
    with lock(tmp_path), lock(tmp_path):
        compile_to(tmp_path, OLD)
    with other_run(tmp_path):
        pass
    assert owned_tree(tmp_path / "out") == OLD


def test_an_unfinished_tree_is_dropped_by_the_next_run(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    write(tmp_path / ".gpuc-work/new/base/half.yaml", "ha").parent.chmod(0o500)
    recover(tmp_path)
    assert (owned_tree(tmp_path / "out"), (tmp_path / ".gpuc-work/new").exists()) == (OLD, False)


def test_an_out_that_was_set_aside_comes_back(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    (tmp_path / "out").rename(tmp_path / ".gpuc-work/old")
    write(tmp_path / ".gpuc-work/new/base/half.yaml", "ha")
    recover(tmp_path)
    assert (owned_tree(tmp_path / "out"), plan(tmp_path, OLD).is_current) == (OLD, True)


def test_an_out_that_was_replaced_before_the_old_one_was_dropped_stays(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    write(tmp_path / ".gpuc-work/old/base/a.yaml", "older\n")
    recover(tmp_path)
    assert (owned_tree(tmp_path / "out"), (tmp_path / ".gpuc-work/old").exists()) == (OLD, False)


def test_recovering_waits_for_a_run_that_is_at_work(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with other_run(tmp_path):
        write(tmp_path / ".gpuc-work/new/x", "its\n")
        recover(tmp_path)
        assert (tmp_path / ".gpuc-work/new/x").read_text() == "its\n"


def test_recovering_where_gpuc_never_ran_makes_nothing(tmp_path: Path) -> None:
    recover(tmp_path)
    assert tree(tmp_path) == {}


def test_recovering_follows_no_link(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere/new/x", "mine\n")
    (tmp_path / ".gpuc-work").symlink_to("elsewhere")
    recover(tmp_path)
    assert (tmp_path / "elsewhere/new/x").read_text() == "mine\n"


@pytest.mark.parametrize("has_out", [True, False], ids=["out is there", "out is set aside"])
def test_a_folder_that_cannot_be_written_matters_only_if_out_is_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_out: bool
) -> None:
    compile_to(tmp_path, OLD)
    (tmp_path / ".gpuc-work/new").mkdir()
    if not has_out:
        (tmp_path / "out").rename(tmp_path / ".gpuc-work/old")

    def read_only(*_args: object, **_options: object) -> None:
        raise OSError(30, "Read-only file system")

    for name in ("rename", "rmdir", "unlink"):
        monkeypatch.setattr(os, name, read_only)
    if has_out:
        recover(tmp_path)
    else:
        with pytest.raises(EnvironmentFailure, match="Read-only file system"):
            recover(tmp_path)
