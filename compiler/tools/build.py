"""Building a tool from its pinned module: once, whole or not at all."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from compiler.tools import failures, golang, on_path, pins, places

_SECONDS_TO_BUILD: Final = 1800


def build(tool: pins.Pin, root: Path | None, folder: Path, fingerprint: str, progress: Callable[[str], None]) -> Path:
    """Build a tool into `folder` and return its path.

    Two runs at once build once: the second waits and takes the first one's. The program appears in one step, and its
    record after it, so that a build that is killed leaves nothing that is taken for a tool.

    Raises:
        EnvironmentFailure: there is no Go that is new enough, the build failed, or the folder cannot be written.
    """
    go, too_old = golang.find_go(tool.go, root)
    if not go:
        raise failures.no_go(tool, too_old)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _lock(folder / f".{tool.name}.lock", lambda: progress(f"Waiting for another run to build {tool.name}")):
            if not places.is_built(folder, tool.name, fingerprint):
                progress(f"Building {tool.name} {tool.version} with {go}; this happens once")
                _build_in_step(tool, go, folder)
                places.mark_built(folder, tool.name, fingerprint)
    except OSError as error:
        raise failures.cannot_write(tool, folder, error) from error
    return folder / tool.name


def _build_in_step(tool: pins.Pin, go: golang.Go, folder: Path) -> None:
    prefix = f".{tool.name}-building-"
    for left_by_a_killed_run in folder.glob(f"{prefix}*"):
        shutil.rmtree(left_by_a_killed_run, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=prefix, dir=folder) as scratch:
        program = Path(scratch) / tool.name
        _run_go(tool, go, program)
        said = on_path.said_version(program, tool.name)
        if said != tool.version:
            raise failures.does_not_run(tool, folder, said)
        program.replace(folder / tool.name)


def _run_go(tool: pins.Pin, go: golang.Go, program: Path) -> None:
    flags = [*pins.BUILD_FLAGS, "-ldflags", pins.linker_flags(tool)]
    try:
        subprocess.run(
            [go.program, "build", *flags, "-o", program, tool.package],
            cwd=tool.folder,
            env=go.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_SECONDS_TO_BUILD,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        raise failures.build_failed(tool, go, error.stdout) from error
    except subprocess.TimeoutExpired as error:
        raise failures.build_failed(tool, go, f"it did not end within {_SECONDS_TO_BUILD // 60} minutes") from error


@contextlib.contextmanager
def _lock(path: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold a lock that the operating system gives back even when the holder is killed."""
    with path.open("a", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
