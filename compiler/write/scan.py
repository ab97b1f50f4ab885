"""What is in `out/`: every entry, and the bytes of those files that matter."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from enum import Enum

from compiler.write.disk import folder

MAX_READ = 16 * 1024 * 1024
MAX_DEPTH = 100
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Kind(Enum):
    """What an entry is; a link is never followed."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "symbolic link"
    OTHER = "special file"


_KINDS = {stat.S_IFREG: Kind.FILE, stat.S_IFDIR: Kind.FOLDER, stat.S_IFLNK: Kind.LINK}


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of `out/`. `data` is there for a regular file that was asked for and is not larger than 16 MiB."""

    kind: Kind
    inode: int
    size: int
    mtime_ns: int
    data: bytes | None = field(default=None, compare=False, repr=False)


Entries = dict[str, Entry]


def scan(name: str, parent: int, wants: Callable[[str], bool]) -> Entries:
    """Return all entries below the folder `name`, by path, reading the files that `wants` accepts.

    Raises:
        OSError: the folder is missing, something in it cannot be read, it is nested deeper than 100 folders, or it
            contains a mount point.
    """
    found: Entries = {}
    with folder(name, parent) as fd:
        _scan(fd, "", wants, found, 0)
    return found


def read(name: str, parent: int) -> Entry | None:
    """Return one entry with its bytes, or None if there is none."""
    try:
        status = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return _entry(name, parent, status, read_it=True)


def _scan(fd: int, prefix: str, wants: Callable[[str], bool], found: Entries, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise OSError(errno.ELOOP, f"folders are nested deeper than {MAX_DEPTH}", prefix)
    device = os.fstat(fd).st_dev
    with os.scandir(fd) as listing:
        names = sorted(entry.name for entry in listing)
    for name in names:
        path = prefix + name
        status = os.stat(name, dir_fd=fd, follow_symlinks=False)
        # On overlayfs the device of a file is that of its layer; a folder's is always its mount's.
        if stat.S_ISDIR(status.st_mode) and status.st_dev != device:
            raise OSError(errno.EXDEV, "a mount point", path)
        found[path] = entry = _entry(name, fd, status, read_it=wants(path))
        if entry.kind is Kind.FOLDER:
            with folder(name, fd) as child:
                _scan(child, f"{path}/", wants, found, depth + 1)


def _entry(name: str, parent: int, status: os.stat_result, *, read_it: bool) -> Entry:
    kind = _KINDS.get(stat.S_IFMT(status.st_mode), Kind.OTHER)
    data = None
    if read_it and kind is Kind.FILE and status.st_size <= MAX_READ:
        fd = os.open(name, _READ, dir_fd=parent)
        try:
            status = os.fstat(fd)
            if stat.S_ISREG(status.st_mode):
                data = _read(fd, status.st_size)
        finally:
            os.close(fd)
    return Entry(kind, status.st_ino, status.st_size, status.st_mtime_ns, data)


def _read(fd: int, size: int) -> bytes | None:
    """Return all bytes of a file, or None if it grew beyond the limit meanwhile."""
    chunks = [os.read(fd, size + 1)]
    total = len(chunks[0])
    while chunks[-1] and total <= MAX_READ:
        chunks.append(os.read(fd, MAX_READ))
        total += len(chunks[-1])
    return b"".join(chunks) if total <= MAX_READ else None


def unchanged_since(before: Entries, after: Entries, strict: Container[str]) -> list[str]:
    """Return the paths at which two scans of one folder differ.

    Files in `strict` must have the same size and time. The others are hard-linked into the new tree, so what was
    written into them meanwhile is in both: they differ only if another file took their place, with another inode
    and another time (overlayfs and some network file systems give one file a new inode now and then).
    """
    differing = list(before.keys() ^ after.keys())
    for path in before.keys() & after.keys():
        old, new = before[path], after[path]
        content = old.kind is not Kind.FOLDER and (old.size, old.mtime_ns) != (new.size, new.mtime_ns)
        if old.kind is not new.kind or (content and (path in strict or old.inode != new.inode)):
            differing.append(path)
    return sorted(differing)
