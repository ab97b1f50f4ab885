"""Several jobs at once: one exit code, and nobody's lines between another's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# In a process of its own, since a job leaves the network that it was started in.
RUN = """
import sys, time
from pathlib import Path
from tests.e2e.sandbox import run_inside
from tests.e2e.sidebyside import run
def job(name, seconds, code):
    def go():
        for number in range(3):
            print(name, number, flush=True)
            time.sleep(seconds)
        return code
    return go
jobs = [job("slow", 0.2, {first}), job("quick", 0, {second})]
sys.exit(run_inside(Path(sys.argv[1]), lambda folder: run(jobs, folder)))
"""


def run(folder: Path, first: int, second: int) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-c", RUN.format(first=first, second=second), str(folder)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 5:
        pytest.skip(done.stderr.splitlines()[0])
    return done


def test_each_jobs_lines_stay_together(tmp_path: Path) -> None:
    expected = ["slow 0", "slow 1", "slow 2", "quick 0", "quick 1", "quick 2"]
    assert run(tmp_path / "run", 0, 0).stdout.splitlines() == expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [(0, 0, 0), (1, 0, 1), (0, 7, 7), (3, 7, 3)],
    ids=["none", "first", "second", "both"],
)
def test_the_exit_code_is_of_the_first_that_failed(tmp_path: Path, first: int, second: int, expected: int) -> None:
    assert run(tmp_path / "run", first, second).returncode == expected
