"""Finds and reads the files below the paths that lint is given, within bounds, and never outside of them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from compiler.diagnostics import Diagnostic, Place
from compiler.errors import EnvironmentFailure
from compiler.load import rules

MAX_FILE: Final = 4 << 20
MAX_TOTAL: Final = 64 << 20
MAX_FILES: Final = 20_000
STDIN: Final = "-"
_NAME_OF_STDIN: Final = "<stdin>"
_ENDINGS: Final = (".yaml", ".yml", ".json")
# Folders that hold nothing which is applied to a cluster.
_PASSED_OVER: Final = frozenset({"node_modules", "vendor", "__pycache__"})


@dataclass(frozen=True)
class SourceFile:
    """A file's text, under the name that findings give it; `named` is True where the user named it himself."""

    name: str
    text: str
    named: bool


@dataclass
class Found:
    """The files that were read, in the order of their names, and why others were not."""

    files: list[SourceFile] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def gather(paths: Sequence[str], here: Path, stdin: bytes | None = None) -> Found:
    """Return the texts of files and of the YAML and JSON files below folders; `-` is `stdin`.

    Paths are relative to `here`. Findings name a file as its path was given, relative where it is below `here`. Links
    that lead out of the folder that was named are left out. Raises EnvironmentFailure where the operating system
    refuses to read what was named.
    """
    found = Found()
    seen: set[str] = set()
    total = 0
    for given in paths:
        if given == STDIN:
            found.files.append(SourceFile(_NAME_OF_STDIN, _text(stdin or b""), named=True))
            continue
        start = _Start(given, here / given, here)
        if not start.path.exists():
            message = f"{given} does not exist"
            problem = Diagnostic(rules.NOT_A_FILE.code, message, Place(given), help="correct the path")
            found.problems.append(problem)
            continue
        for path, named in _below(start, found):
            real = os.path.realpath(path)
            if real in seen:
                continue
            seen.add(real)
            name = start.shown(path)
            if len(seen) > MAX_FILES or total > MAX_TOTAL:
                found.left_out.append(f"{name} and everything after it: more than gpuc reads in one run")
                return found
            data = _read(path, name, named=named)
            if data is None or len(data) > MAX_FILE or b"\0" in data:
                reason = "is no ordinary file" if data is None else f"is larger than {MAX_FILE >> 20} MiB or no text"
                _leave_out(found, name, reason, named=named)
                continue
            total += len(data)
            found.files.append(SourceFile(name, _text(data), named))
    return found


@dataclass(frozen=True)
class _Start:
    """A path that the user gave, and where it is."""

    given: str
    path: Path
    here: Path

    def shown(self, path: Path) -> str:
        """Return how findings name a path at or below this one."""
        plain = Path(os.path.normpath(path))
        if plain.is_relative_to(self.here):
            return plain.relative_to(self.here).as_posix()
        return Path(os.path.normpath(Path(self.given, os.path.relpath(path, self.path)))).as_posix()


def _leave_out(found: Found, name: str, reason: str, *, named: bool) -> None:
    if named:
        message = f"{name} {reason}: it was not read"
        found.problems.append(Diagnostic(rules.NOT_A_FILE.code, message, Place(name), help="name another file"))
    else:
        found.left_out.append(f"{name} {reason}")


def _below(start: _Start, found: Found) -> Iterator[tuple[Path, bool]]:
    """Yield the files at a path: itself, or those below it by name, each with whether the user named it."""
    if not start.path.is_dir():
        yield start.path, True
        return
    inside = os.path.realpath(start.path)

    def refused(error: OSError) -> None:
        if Path(error.filename) == start.path:
            raise _failure(start.given, error)
        found.left_out.append(f"{start.shown(Path(error.filename))}: {error.strerror}")

    for folder, folders, files in os.walk(start.path, onerror=refused):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _PASSED_OVER)
        for name in sorted(files):
            path = Path(folder, name)
            if name.startswith(".") or not name.lower().endswith(_ENDINGS):
                continue
            if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(inside):
                found.left_out.append(f"{start.shown(path)} is a link that leads out of {start.given}")
                continue
            yield path, False


def _read(path: Path, name: str, *, named: bool) -> bytes | None:
    """Return a file's bytes, one more than allowed where it is too large, or None where it is no ordinary file."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return None
        # The file may have been exchanged since: never wait on a pipe.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(path, flags), "rb") as file:
            return file.read(MAX_FILE + 1)
    except OSError as error:
        if named:
            raise _failure(name, error) from None
        return None


def _failure(name: str, error: OSError) -> EnvironmentFailure:
    help_ = "give the user who runs gpuc permission to read it"
    return EnvironmentFailure(
        Diagnostic(rules.UNREADABLE.code, f"cannot read {name}: {error.strerror or error}", Place(name), help=help_)
    )


def _text(data: bytes) -> str:
    """Return a text; what is not UTF-8 shows as such, and is no reason to stop looking at the rest."""
    return data[: MAX_FILE + 1].decode("utf-8-sig", "replace")
