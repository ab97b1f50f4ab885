"""What writing would do: `out/` on disk compared with the files it should have."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from compiler.diagnostics import Diagnostic, Place
from compiler.errors import EnvironmentFailure, InputError
from compiler.write import claims
from compiler.write.blocked import find_blocked, find_impossible
from compiler.write.disk import failures, folder, kind, root_folder
from compiler.write.git import blob_ids, read_git
from compiler.write.paths import MANIFEST, OUT
from compiler.write.scan import Entries, Kind, read, scan

_ATTEMPTS = 5


@dataclass(frozen=True)
class Plan:
    """The difference between `out/` below `root` and the files it should have.

    Paths are relative to `out/` and sorted. `files` holds the bytes of every file gpuc will own, `.gpuc.json`
    included; `entries` is everything on disk. `owned` are the regular files on disk that gpuc owns, whether or not it
    still writes them. `blocked` says what stops the plan from being applied, and then the other fields may be empty.
    """

    root: Path
    files: Mapping[str, bytes] = field(repr=False)
    entries: Entries = field(default_factory=dict, repr=False)
    owned: frozenset[str] = frozenset()
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    blocked: tuple[Diagnostic, ...] = ()

    @cached_property
    def is_current(self) -> bool:
        """True when `out/` is exactly what the inputs compile to."""
        return not (self.added or self.changed or self.removed or self.blocked)


def plan(root: Path, files: Mapping[str, str]) -> Plan:
    """Compare `out/` below `root` with the wanted `files` (path relative to `out/` -> text) and change nothing.

    Everything that stands in the way is in `Plan.blocked`. Modes are not compared: git keeps none but the executable
    bit, and a checkout's umask chooses the rest.

    Raises:
        EnvironmentFailure: `out/` cannot be read, or changes all the time.
    """
    wanted = {path: text.encode() for path, text in files.items()}
    if impossible := find_impossible(wanted):
        return Plan(root, wanted, blocked=tuple(impossible))
    wanted[MANIFEST] = claims.render(wanted).encode()
    return compare(root, wanted)


def compare(root: Path, wanted: Mapping[str, bytes]) -> Plan:
    """Do what `plan` does, for the bytes of every file including `.gpuc.json`; the paths are known to be good."""
    for _ in range(_ATTEMPTS):
        try:
            with failures(f"reading {OUT}/"), root_folder(root) as root_fd:
                return _compare(root, root_fd, wanted)
        except _MovedError:
            continue
    message = f"{OUT}/ changes faster than it can be read: another program is writing it"
    raise EnvironmentFailure(Diagnostic("GPU909", message, help="wait until it is done and run the command again"))


class _MovedError(Exception):
    """`out/` was replaced while it was read."""


def _compare(root: Path, root_fd: int, wanted: Mapping[str, bytes]) -> Plan:
    found = kind(OUT, root_fd)
    if found is None:
        return Plan(root, wanted, added=tuple(sorted(wanted)))
    if found != stat.S_IFDIR:
        what = "a symbolic link" if found == stat.S_IFLNK else "not a folder"
        message = f"{OUT} is {what}: gpuc replaces the whole folder, and follows no link that could lead elsewhere"
        return Plan(root, wanted, blocked=(Diagnostic("GPU906", message, Place(OUT), help=f"move {OUT} away"),))
    try:
        with folder(OUT, root_fd) as fd:
            inode = os.fstat(fd).st_ino
            manifest = read(MANIFEST, fd)
        claimed = claims.parse(manifest.data) if manifest and manifest.kind is Kind.FILE else frozenset()
        entries = scan(OUT, root_fd, lambda path: path in wanted or path in claimed)
        if os.stat(OUT, dir_fd=root_fd, follow_symlinks=False).st_ino != inode:
            raise _MovedError
    except InputError as error:
        return Plan(root, wanted, blocked=tuple(error.diagnostics))
    except FileNotFoundError:
        raise _MovedError from None
    mine = claimed | {MANIFEST}
    owned = frozenset(path for path in mine if path in entries and entries[path].kind is Kind.FILE)
    if blocked := find_blocked(wanted, entries, owned):
        return Plan(root, wanted, entries, owned, blocked=tuple(blocked))
    present = [path for path in sorted(wanted) if path in entries]
    changed = _without_line_endings(root, wanted, entries, [p for p in present if entries[p].data != wanted[p]])
    return Plan(
        root,
        wanted,
        entries,
        owned,
        added=tuple(path for path in sorted(wanted) if path not in entries or entries[path].kind is not Kind.FILE),
        changed=tuple(path for path in changed if entries[path].kind is Kind.FILE),
        removed=tuple(sorted(owned - wanted.keys())),
        unchanged=tuple(path for path in present if path not in set(changed)),
    )


def _without_line_endings(root: Path, wanted: Mapping[str, bytes], entries: Entries, paths: list[str]) -> list[str]:
    """Drop the paths whose file has CRLF on disk alone: git, asked through its index, has the wanted bytes.

    That is a checkout with core.autocrlf. A file that is committed with CRLF stays a difference: the ConfigMap that
    Kustomize makes of it would have another hash.
    """
    suspects = {p for p in paths if (data := entries[p].data) and data.replace(b"\r\n", b"\n") == wanted[p]}
    if not suspects:
        return paths
    staged = read_git(root).staged
    same = {p for p in suspects if any(blob in blob_ids(wanted[p], blob) for blob in staged.get(p, ()))}
    return [path for path in paths if path not in same]
