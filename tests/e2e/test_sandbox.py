"""A run in the sandbox leaves no process, no file and no mount, and reaches no network."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

# Each test runs in a process of its own: a process that entered the namespaces cannot leave them.
RUN = """
import socket, subprocess, sys, time
from pathlib import Path
from tests.e2e.sandbox import run_inside

def main(folder):
{body}

sys.exit(run_inside(Path(sys.argv[1]), main))
"""
START_A_SLEEPER = """
    (folder / "file").write_text("x")
    subprocess.Popen(["sleep", sys.argv[2]])
    print("up", flush=True)
    time.sleep(60)
"""
ROOT = Path(__file__).parents[2]


def start(folder: Path, body: str, *arguments: str) -> subprocess.Popen[str]:
    indented = "\n".join(f"    {line.strip()}" for line in body.strip().splitlines())
    command = [sys.executable, "-c", RUN.format(body=indented), str(folder), *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture(scope="module", autouse=True)
def _allowed(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip where the machine allows no namespaces; make e2e itself fails there, and says so."""
    run = start(tmp_path_factory.mktemp("probe") / "run", "return 0")
    _, errors = run.communicate(timeout=30)
    if run.returncode == 5:
        pytest.skip(errors.strip().splitlines()[0])


def sleepers(seconds: str) -> list[str]:
    """Return the processes that sleep for exactly this odd time, read from /proc."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            arguments = entry.read_bytes().split(b"\0")
        except OSError:
            continue
        if arguments[:2] == [b"sleep", seconds.encode()]:
            found.append(entry.parent.name)
    return found


@pytest.mark.parametrize(
    ("number", "expected"), [(signal.SIGTERM, 130), (signal.SIGINT, 130), (signal.SIGKILL, -9)], ids=str
)
def test_a_stopped_run_leaves_no_process_and_no_file(tmp_path: Path, number: signal.Signals, expected: int) -> None:
    odd = f"{300 + number}.{os.getpid()}"
    run = start(tmp_path / "run", START_A_SLEEPER, odd)
    assert run.stdout is not None
    run.stdout.readline()
    deadline = time.monotonic() + 10  # a process that was just started may not show its arguments yet
    while not sleepers(odd) and time.monotonic() < deadline:
        time.sleep(0.05)
    started = sleepers(odd)
    run.send_signal(number)
    run.communicate(timeout=30)
    assert len(started) == 1
    deadline = time.monotonic() + 10
    while sleepers(odd) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert (run.returncode, sleepers(odd), list((tmp_path / "run").iterdir())) == (expected, [], [])


def test_the_exit_code_is_that_of_the_run(tmp_path: Path) -> None:
    run = start(tmp_path / "run", "return 7")
    run.communicate(timeout=30)
    assert run.returncode == 7


def test_only_loopback_is_there(tmp_path: Path) -> None:
    run = start(tmp_path / "run", "print([name for _, name in socket.if_nameindex()])\nreturn 0")
    output, _ = run.communicate(timeout=30)
    assert output == "['lo']\n"


def test_asking_whether_it_is_allowed_leaves_the_asker_where_it_is() -> None:
    script = "import os; from tests.e2e.sandbox import is_allowed; a = os.stat('/proc/self/ns/net').st_ino; "
    script += "print(is_allowed(), a == os.stat('/proc/self/ns/net').st_ino)"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "True True\n"
