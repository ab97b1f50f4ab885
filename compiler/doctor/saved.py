"""Reads a folder of saved answers of kubectl. The folder is an input from anywhere: nothing in it is trusted."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from compiler.doctor import snapshot as kinds
from compiler.doctor.data import name, one_line
from compiler.doctor.decode import NotReadable, decode
from compiler.doctor.queries import UNKNOWN_KIND, queries
from compiler.doctor.snapshot import Kind, Snapshot, by_kind, kind_of
from compiler.model.environment import Environment
from compiler.objects import Obj

MOST_FILES: Final = 200
LARGEST: Final = 64 * 1024 * 1024
LARGEST_TOTAL: Final = 256 * 1024 * 1024
_LOGS = (".log", ".txt")
_ERROR = ".err"
_LOG_KEPT: Final = 1024 * 1024
_PREFIX = "[pod/"


@dataclass
class _Found:
    objects: list[Obj] = field(default_factory=list)
    groups: frozenset[str] | None = None
    empty: set[str] = field(default_factory=set)
    """Names of files that hold a list of nothing."""
    failed: set[str] = field(default_factory=set)
    """Names of files that hold nothing at all."""
    errors: dict[str, str] = field(default_factory=dict)
    """What kubectl said instead of an answer, by the file's name without its ending."""
    logs: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def read_folder(environment: Environment, folder: Path) -> Snapshot:
    """Return what the files of a folder say; their names end in .json, and kinds are recognised by content.

    A kind that nobody saved is not known, unless the saved API groups say that the server does not know it. Files that
    cannot be read, or hold something else, are left out and noted. Folders below it and links are not followed.
    """
    found = _Found()
    total = 0
    for path, size in _files(folder, found):
        total += size
        if total > LARGEST_TOTAL:
            found.notes.append(f"{path.name} and later files were not read: more than {LARGEST_TOTAL >> 20} MiB in all")
            break
        _read(path, found)
    return _snapshot(environment, folder, found)


def _files(folder: Path, found: _Found) -> Iterator[tuple[Path, int]]:
    """Yield the plain files of a folder with their sizes, in the order of their names."""
    paths = sorted(path for path in folder.iterdir() if path.suffix in (".json", _ERROR, *_LOGS))
    if len(paths) > MOST_FILES:
        found.notes.append(f"only the first {MOST_FILES} files were read")
    for path in paths[:MOST_FILES]:
        try:
            state = path.lstat()
        except OSError:
            continue
        if not stat.S_ISREG(state.st_mode):
            found.notes.append(f"{_shown(path)} is no plain file")
        elif state.st_size > LARGEST:
            found.notes.append(f"{_shown(path)} is larger than {LARGEST >> 20} MiB")
        else:
            yield path, state.st_size


def _shown(path: Path) -> str:
    return one_line(path.name)


def _read(path: Path, found: _Found) -> None:
    try:
        # A link that was put there since is not followed, and a pipe is not waited for.
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            data = file.read(LARGEST)
    except OSError as error:
        found.notes.append(f"{_shown(path)} cannot be read: {error.strerror}")
        return
    if path.suffix in _LOGS:
        found.logs.append((path.stem, data[-_LOG_KEPT:].decode("utf-8", "replace")))
        return
    if path.suffix == _ERROR:
        found.errors[path.stem] = one_line(data[-_LOG_KEPT:].decode("utf-8", "replace"))
        return
    if not data.strip():
        found.failed.add(path.name)
        return
    try:
        decoded = decode(data)
    except NotReadable as error:
        found.notes.append(f"{_shown(path)} was not read: {error}")
        return
    found.objects += decoded.objects
    found.groups = decoded.groups if decoded.groups is not None else found.groups
    if decoded.secrets:
        found.notes.append(f"{_shown(path)} holds Secrets, which doctor never needs: they were left out; delete them")
    if decoded.misnamed:
        found.notes.append(f"{decoded.misnamed} objects in {_shown(path)} have no good name: they were left out")
    if not decoded.objects and not decoded.secrets and not decoded.misnamed and decoded.groups is None:
        found.empty.add(path.name)


def _snapshot(environment: Environment, folder: Path, found: _Found) -> Snapshot:
    objects = by_kind(obj for obj in found.objects if kind_of(obj).kind)
    not_served: set[Kind] = set()
    failures: dict[Kind, str] = {}
    for query in queries(environment):
        if query.kind in objects:
            continue
        if found.groups is not None and query.kind.group and query.kind.group not in found.groups:
            not_served.add(query.kind)
        elif query.file in found.empty:
            objects[query.kind] = ()
        elif UNKNOWN_KIND in found.errors.get(query.stem, ""):
            not_served.add(query.kind)
        elif query.file in found.failed:
            why = found.errors.get(query.stem) or f"{query.file} is empty"
            failures[query.kind] = f"its command failed: {why}"
        else:
            failures[query.kind] = f"save it as {query.file}; --what-to-save has the command"
    pods = [name(pod) for pod in objects.get(kinds.POD, ())]
    return Snapshot(
        f"the folder {folder}", objects, frozenset(not_served), failures, _logs(found, pods), tuple(found.notes)
    )


def _logs(found: _Found, pods: list[str]) -> dict[str, str]:
    """Return logs by pod: as `kubectl logs --prefix` says, or as the file's name does; else under the empty name."""
    logs: dict[str, list[str]] = {}
    for stem, text in found.logs:
        of_file = next((pod for pod in pods if pod in stem), "")
        for line in text.splitlines():
            source, bracket, said = line.removeprefix(_PREFIX).partition("] ")
            prefixed = line.startswith(_PREFIX) and bracket
            logs.setdefault(source.partition("/")[0] if prefixed else of_file, []).append(said if prefixed else line)
    return {pod: "\n".join(lines) for pod, lines in logs.items()}
