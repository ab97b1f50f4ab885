"""Folders through file descriptors: no function here follows a symbolic link below the folder it is given."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

from compiler.diagnostics import Diagnostic
from compiler.errors import EnvironmentFailure
from compiler.write.paths import shown

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_THREADS = 8

_CURES = {
    errno.ENOSPC: "free some space on the disk",
    errno.EDQUOT: "free some space: your disk quota is used up",
    errno.EFBIG: "raise the limit on file sizes (`ulimit -f`)",
    errno.EROFS: "the file system is read-only: compile in a copy that can be written",
    errno.EACCES: "give yourself permission to write there (`ls -ld` shows who may)",
    errno.EPERM: "give yourself permission to write there (`ls -ld` and `lsattr -d` show what forbids it)",
    errno.EMFILE: "raise the limit on open files (`ulimit -n`)",
    errno.EBUSY: "out/ is a mount point and cannot be replaced in one step: mount the folder above it instead",
    errno.EXDEV: "this folder cannot be moved (a container image's layer, or a mount point inside it): make it an "
    "ordinary one with `cp -a out out.copy && rm -r out && mv out.copy out`",
    errno.ENOLCK: "this file system has no locks, so two runs could not be told apart: use another one",
}


@contextmanager
def failures(doing: str) -> Iterator[None]:
    """Turn an OSError into an EnvironmentFailure that says what failed while `doing`, and what to do.

    Raises:
        EnvironmentFailure: GPU907.
    """
    try:
        yield
    except OSError as error:
        where = f" ({shown(os.fsdecode(error.filename))})" if isinstance(error.filename, str | bytes) else ""
        message = f"{doing} failed: {error.strerror or error}{where}; out/ is as it was"
        cure = _CURES.get(error.errno or 0, "remove the cause and run the command again")
        raise EnvironmentFailure(Diagnostic("GPU907", message, help=cure)) from error


@contextmanager
def root_folder(root: Path) -> Iterator[int]:
    """Open the root; here, and only here, a symbolic link is followed, since the user named it."""
    fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield fd
    finally:
        os.close(fd)


@contextmanager
def folder(name: str, parent: int) -> Iterator[int]:
    """Open the folder `name` of the open folder `parent`; a symbolic link is an OSError."""
    fd = os.open(name, _FOLDER, dir_fd=parent)
    try:
        yield fd
    finally:
        os.close(fd)


def kind(name: str, parent: int) -> int | None:
    """Return the file type bits (`stat.S_IFDIR`, ...) of an entry, not following a link; None if there is none."""
    try:
        return stat.S_IFMT(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return None


def create(name: str, parent: int, data: bytes, mode: int = 0o644) -> int:
    """Create a file that does not exist yet, whatever the umask, and return it open, to be synced and closed."""
    fd = os.open(name, _NEW_FILE, 0o600, dir_fd=parent)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(fd, left) :]
        os.fchmod(fd, mode)
    except BaseException:
        os.close(fd)
        with suppress(OSError):
            os.unlink(name, dir_fd=parent)
        raise
    return fd


def sync(fds: list[int]) -> None:
    """Bring files to the disk and close them.

    One after the other costs a commit of the file system's journal for each; side by side they share commits (80
    files: 150 ms and 15 ms on ext4). Plain threads, since importing concurrent.futures takes as long as syncing.
    """
    failed: list[OSError] = []

    def share(mine: list[int]) -> None:
        try:
            for fd in mine:
                os.fsync(fd)
        except OSError as error:
            failed.append(error)

    threads: list[Thread] = []
    try:
        for first in range(1, min(_THREADS, len(fds))):
            thread = Thread(target=share, args=(fds[first::_THREADS],))
            thread.start()
            threads.append(thread)
        share(fds[::_THREADS])
    finally:
        for thread in threads:
            thread.join()
        while fds:
            os.close(fds.pop())
    if failed:
        raise failed[0]


def remove_tree(name: str, parent: int) -> None:
    """Remove a file, a link or a folder with all it holds, if it exists; nothing outside it is touched."""
    found = kind(name, parent)
    if found is None:
        return
    if found != stat.S_IFDIR:
        os.unlink(name, dir_fd=parent)
        return
    with folder(name, parent) as fd:
        if not os.fstat(fd).st_mode & stat.S_IWUSR:
            os.fchmod(fd, 0o700)
        with os.scandir(fd) as entries:
            names = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        for child, is_folder in names:
            if is_folder:
                remove_tree(child, fd)
            else:
                os.unlink(child, dir_fd=fd)
    os.rmdir(name, dir_fd=parent)
