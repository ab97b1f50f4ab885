"""Programs are started with a log, and none is left behind."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from tests.e2e.processes import ProgramFailed, Programs, free_ports, listening

FOREVER = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(600)"]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)",
]


def test_every_program_has_ended_after_the_block(tmp_path: Path) -> None:
    with Programs(tmp_path) as programs:
        started = [programs.start(name, FOREVER) for name in ("one", "two")]
    assert [program.process.poll() is not None for program in started] == [True, True]


def test_a_program_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    with Programs(tmp_path) as programs:
        program = programs.start("stubborn", STUBBORN)
        program.wait_until(lambda: "up" in program.log.read_text(encoding="utf-8"), 10)
        program.stop(grace_s=0.1)
    assert program.process.returncode == -9


def test_a_program_that_ends_while_it_is_waited_for_shows_its_log(tmp_path: Path) -> None:
    with Programs(tmp_path) as programs:
        program = programs.start("short", [sys.executable, "-c", "raise SystemExit('no such file')"])
        with pytest.raises(ProgramFailed, match=r"short ended with exit code 1(.|\n)*    no such file"):
            program.wait_until(lambda: False, 10)


def test_a_program_that_does_not_get_ready_in_time_fails(tmp_path: Path) -> None:
    with Programs(tmp_path) as programs:
        program = programs.start("slow", FOREVER)
        with pytest.raises(ProgramFailed, match=r"slow is not ready after 0\.2 s"):
            program.wait_until(lambda: False, 0.2)


def test_nothing_of_the_callers_environment_reaches_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "/of/somebody")
    with Programs(tmp_path) as programs:
        program = programs.start("env", [sys.executable, "-c", "import os; print(sorted(os.environ))"])
        program.process.wait()
    assert "KUBECONFIG" not in program.log.read_text(encoding="utf-8")


def test_free_ports_differ_and_are_free() -> None:
    ports = free_ports(3)
    assert (len(set(ports)), [listening(port) for port in ports]) == (3, [False, False, False])


def test_a_port_in_use_is_seen() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        assert listening(port)
