"""Programs that run beside the harness: started with a log each, waited for until they are ready, and stopped."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

TAIL_LINES = 25


class ProgramFailed(Exception):
    """A program ended, or did not become ready in time. The message holds the end of its log."""


@dataclass(frozen=True)
class Program:
    """A running program."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def tail(self, lines: int = TAIL_LINES) -> str:
        """Return the last lines of the log, each indented by four spaces."""
        text = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(f"    {line}" for line in text[-lines:])

    def check(self) -> None:
        """Raise ProgramFailed when the program has ended."""
        code = self.process.poll()
        if code is not None:
            raise ProgramFailed(f"{self.name} ended with exit code {code}. The end of {self.log}:\n{self.tail()}")

    def wait_until(self, ready: Callable[[], bool], within_s: float) -> float:
        """Wait until `ready` returns True.

        Args:
            ready: asked about ten times a second; an OSError counts as "not yet".
            within_s: seconds before giving up.

        Returns:
            The seconds that it took.

        Raises:
            ProgramFailed: the program ended, or the time is up.
        """
        start = time.monotonic()
        while time.monotonic() - start < within_s:
            self.check()
            try:
                if ready():
                    return time.monotonic() - start
            except OSError:
                pass
            time.sleep(0.1)
        raise ProgramFailed(f"{self.name} is not ready after {within_s:g} s. The end of {self.log}:\n{self.tail()}")

    def stop(self, grace_s: float = 5) -> None:
        """End the program with SIGTERM, and with SIGKILL after `grace_s` seconds."""
        self.process.terminate()
        try:
            self.process.wait(grace_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Programs:
    """Starts programs, and ends those still running when the `with` block ends, the youngest first."""

    def __init__(self, logs: Path) -> None:
        logs.mkdir(parents=True, exist_ok=True)
        self._logs = logs
        self._running: list[Program] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for program in reversed(self._running):
            program.stop()

    def start(
        self, name: str, command: Sequence[str | Path], *, env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> Program:
        """Start a program with its output in `<logs>/<name>.log`.

        Args:
            name: unique among the programs; a second one of the same name appends to the log of the first.
            command: the program and its arguments.
            env: its whole environment; by default just PATH and HOME, so that nothing of the caller leaks in.
            cwd: its working folder.

        Returns:
            The running program.
        """
        log = self._logs / f"{name}.log"
        with log.open("ab") as output:
            process = subprocess.Popen(
                [str(part) for part in command],
                env=dict(env) if env is not None else minimal_env(),
                cwd=cwd or self._logs,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        program = Program(name, process, log)
        self._running.append(program)
        return program

    def stop(self, program: Program, grace_s: float = 5) -> None:
        """End one program now, as `Program.stop` does."""
        self._running.remove(program)
        program.stop(grace_s)

    def check(self) -> None:
        """Raise ProgramFailed when any program has ended by itself."""
        for program in self._running:
            program.check()


def minimal_env() -> dict[str, str]:
    """Return an environment with a PATH, and a HOME that holds nothing."""
    return {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/nonexistent"}


def free_ports(count: int) -> list[int]:
    """Return `count` different TCP ports that nothing on 127.0.0.1 uses at the moment."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_STREAM) for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def listening(port: int) -> bool:
    """Say whether something on 127.0.0.1 takes connections at `port`."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0
