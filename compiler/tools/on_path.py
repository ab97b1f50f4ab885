"""Programs on PATH: which may be run at all, and whether one of them is the pinned version of a tool."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from compiler.tools import pins, places

_LARGEST: Final = 300 * 1024 * 1024
_SECONDS_TO_SAY_A_VERSION: Final = 20


def find(name: str, root: Path | None, folder: Path, fingerprint: str) -> Path | None:
    """Return the first program on PATH that is the pinned version of the tool, and remember the verdict in `folder`.

    `root` is the repository that is being compiled: programs below it are passed over.
    """
    tool: pins.Pin | None = None
    for program in candidates(name, root):
        if places.is_approved(folder, name, program, fingerprint):
            return program
        tool = tool or pins.pin(name)
        if is_pinned(program, tool):
            # A folder that cannot be written costs time at the next start, and nothing else.
            with contextlib.suppress(OSError):
                folder.mkdir(parents=True, exist_ok=True)
                places.mark_approved(folder, name, program, fingerprint)
            return program
    return None


def candidates(name: str, root: Path | None) -> Iterator[Path]:
    """Yield the executables of this name on PATH, in its order.

    Entries that are not absolute mean another folder in every working directory, and what lies below `root` is input:
    both are passed over.
    """
    real_root = root.resolve() if root else None
    for entry in os.environ.get("PATH", "").split(os.pathsep):
        program = Path(entry) / name
        if not program.is_absolute() or not program.is_file() or not os.access(program, os.X_OK):
            continue
        if real_root is None or not program.resolve().is_relative_to(real_root):
            yield program


def is_pinned(program: Path, tool: pins.Pin) -> bool:
    """Say whether a program is the tool in its pinned version.

    The build information that Go writes into every program must name the tool's package. That leaves out the shims of
    version managers, which start another version in another folder. The version is taken from there too, where
    `go install` built it; release binaries were built from a source tree, which has no version, and are asked.
    """
    try:
        if program.stat().st_size > _LARGEST:
            return False
        data = program.read_bytes()
    except OSError:
        return False
    if f"path\t{tool.package}\n".encode() not in data:
        return False
    if f"\nmod\t{tool.module}\t{tool.version}\t".encode() in data:
        return True
    return said_version(program, tool.name) == tool.version


def said_version(program: Path, name: str) -> str | None:
    """Run a tool for its version; None when it cannot be run, fails or takes too long."""
    try:
        run = subprocess.run(
            [program, *pins.version_arguments(name)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS_TO_SAY_A_VERSION,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return run.stdout.strip()
