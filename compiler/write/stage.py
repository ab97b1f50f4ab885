"""The new tree, complete: gpuc's files, and hard links to everything in `out/` that stays."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from dataclasses import dataclass, field

from compiler.write.comparison import Plan
from compiler.write.disk import create, folder, sync
from compiler.write.paths import parents
from compiler.write.scan import Entry, Kind

_BATCH = 64
_NO_LINKS = {errno.EPERM, errno.EACCES, errno.EMLINK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}


@dataclass
class Folder:
    """A folder of the new tree. `keeps` is true for one that holds nothing of gpuc's: its mode and time stay."""

    children: dict[str, Folder | Entry | bytes] = field(default_factory=dict)
    keeps: bool = False


def new_tree(plan: Plan) -> Folder:
    """Return what `out/` will hold: bytes to write, entries to link, and folders."""
    top = Folder()
    gone = {*plan.changed, *plan.removed}
    emptied = {parent for path in plan.removed for parent in parents(path)}
    for path, entry in plan.entries.items():
        if entry.kind is not Kind.FOLDER:
            if path not in gone:
                _put(top, path, entry)
        elif path not in emptied:
            # A folder that gpuc's own stale files emptied goes; one that was empty before stays.
            _folder(top, path)
    for path in (*plan.added, *plan.changed):
        _put(top, path, plan.files[path])
    ours = {parent for path in plan.files for parent in parents(path)}
    for path, entry in plan.entries.items():
        if entry.kind is Kind.FOLDER and path not in ours and path not in emptied:
            _folder(top, path).keeps = True
    return top


def _folder(top: Folder, path: str) -> Folder:
    for name in path.split("/") if path else ():
        child = top.children.setdefault(name, Folder())
        if not isinstance(child, Folder):
            message = f"{path} is a file and a folder at once"
            raise TypeError(message)
        top = child
    return top


def _put(top: Folder, path: str, item: Entry | bytes) -> None:
    above, _, name = path.rpartition("/")
    _folder(top, above).children[name] = item


class Stage:
    """Writes a new tree into an open folder, and brings it to the disk."""

    def __init__(self) -> None:
        self.copied: set[str] = set()
        self._unsynced: list[int] = []

    def write(self, tree: Folder, source: int | None, target: int) -> None:
        """Fill the empty folder `target`; entries to link are taken from the folder `source`, the present `out/`.

        Afterwards `copied` holds the paths that could not be hard-linked.

        Raises:
            OSError: for lack of space or permission, or since an entry is no longer what the plan saw.
        """
        try:
            self._fill(tree, source, target, "")
            sync(self._unsynced)
        finally:
            while self._unsynced:
                os.close(self._unsynced.pop())
        os.fchmod(target, 0o755)
        os.fsync(target)

    def _fill(self, tree: Folder, source: int | None, target: int, prefix: str) -> None:
        for name, item in tree.children.items():
            if isinstance(item, bytes):
                self._unsynced.append(create(name, target, item))
                if len(self._unsynced) == _BATCH:
                    sync(self._unsynced)
            elif isinstance(item, Folder):
                self._fill_folder(name, item, source, target, prefix)
            elif source is not None:
                self._keep(name, item, source, target, prefix + name)

    def _fill_folder(self, name: str, tree: Folder, source: int | None, target: int, prefix: str) -> None:
        os.mkdir(name, 0o700, dir_fd=target)
        with folder(name, target) as new:
            old = _open_folder(name, source)
            try:
                self._fill(tree, old, new, f"{prefix}{name}/")
                if tree.keeps and old is not None:
                    _copy_attributes(old, new)
                else:
                    os.fchmod(new, 0o755)
            finally:
                if old is not None:
                    os.close(old)

    def _keep(self, name: str, entry: Entry, source: int, target: int, path: str) -> None:
        """Link one entry, so that it stays the same file with the same times; copy it where that is impossible."""
        try:
            os.link(name, name, src_dir_fd=source, dst_dir_fd=target, follow_symlinks=False)
        except OSError as error:
            if error.errno not in _NO_LINKS or entry.kind is Kind.OTHER:
                raise
            self.copied.add(path)
            self._copy(name, entry, source, target)

    def _copy(self, name: str, entry: Entry, source: int, target: int) -> None:
        if entry.kind is Kind.LINK:
            os.symlink(os.readlink(name, dir_fd=source), name, dir_fd=target)
            return
        old = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=source)
        try:
            new = create(name, target, b"")
            self._unsynced.append(new)
            while chunk := os.read(old, 1024 * 1024):
                left = memoryview(chunk)
                while left:
                    left = left[os.write(new, left) :]
            _copy_attributes(old, new)
        finally:
            os.close(old)


def _open_folder(name: str, parent: int | None) -> int | None:
    """Open the folder that is there now, if there is one: a file may be about to become a folder."""
    if parent is None:
        return None
    with suppress(FileNotFoundError, NotADirectoryError):
        return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    return None


def _copy_attributes(old: int, new: int) -> None:
    """Give the open `new` the owner (if permitted), mode, extended attributes and times of the open `old`."""
    status = os.fstat(old)
    with suppress(OSError):
        os.fchown(new, status.st_uid, status.st_gid)
    if hasattr(os, "listxattr"):
        with suppress(OSError):
            for name in os.listxattr(old):
                os.setxattr(new, name, os.getxattr(old, name))
    os.fchmod(new, stat.S_IMODE(status.st_mode))
    os.utime(new, ns=(status.st_atime_ns, status.st_mtime_ns))
