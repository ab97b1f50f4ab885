"""`.gpuc-work/` beside `out/`: the lock, the tree that is being made, and the record of what gpuc wrote.

The folder ignores itself in git, as caches of other tools do, so a leftover of a killed run is seen by nobody and is
removed by the next run.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from compiler.diagnostics import Diagnostic, Place
from compiler.errors import EnvironmentFailure, InputError
from compiler.write.disk import create, failures, folder, kind, remove_tree, root_folder
from compiler.write.paths import OUT

WORK = ".gpuc-work"
NEW = "new"
OLD = "old"
_LOCK = "lock"
_IGNORE = ".gitignore"
_LOCK_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_held: set[tuple[int, int]] = set()


@contextmanager
def work_folder(root_fd: int) -> Iterator[int]:
    """Open `.gpuc-work/` of the open root, creating it if it is missing.

    Raises:
        InputError: something else has its name.
    """
    found = kind(WORK, root_fd)
    if found is None:
        with suppress(FileExistsError):
            os.mkdir(WORK, 0o700, dir_fd=root_fd)
    elif found != stat.S_IFDIR:
        raise _not_ours(WORK)
    with folder(WORK, root_fd) as fd:
        if not _size(_IGNORE, fd):
            _ignore_itself(fd)
            os.fchmod(fd, 0o755)
        yield fd


def _ignore_itself(fd: int) -> None:
    temporary = f"{_IGNORE}.{os.getpid()}"
    os.close(create(temporary, fd, b"# Made by gpuc; may be deleted while gpuc does not run.\n*\n"))
    os.rename(temporary, _IGNORE, src_dir_fd=fd, dst_dir_fd=fd)


def _size(name: str, parent: int) -> int:
    with suppress(FileNotFoundError):
        return os.stat(name, dir_fd=parent, follow_symlinks=False).st_size
    return 0


def _not_ours(name: str) -> InputError:
    message = (
        f"{name} is a link or a file that gpuc did not make; it keeps its unfinished work there and follows no link"
    )
    return InputError(Diagnostic("GPU906", message, Place(name), help=f"move {name} away"))


@contextmanager
def lock(root: Path) -> Iterator[None]:
    """Hold the right to write `out/` below `root`, and bring an interrupted run's `out/` back first.

    Inside the same process it may be taken again. The operating system gives it back when the process ends, however
    it ends, so it never has to be removed by hand. Readers do not need it.

    Raises:
        EnvironmentFailure: another run holds it (GPU908), or the folder cannot be written (GPU907).
        InputError: `.gpuc-work` is not gpuc's.
    """
    with failures("taking the lock"), root_folder(root) as root_fd:
        status = os.fstat(root_fd)
    here = (status.st_dev, status.st_ino)
    if here in _held:
        yield
        return
    with failures("taking the lock"), root_folder(root) as root_fd, work_folder(root_fd) as work_fd:
        fd = _take(work_fd)
    try:
        _held.add(here)
        with (
            failures("bringing back an interrupted run"),
            root_folder(root) as root_fd,
            work_folder(root_fd) as work_fd,
        ):
            tidy(root_fd, work_fd)
        yield
    finally:
        _held.discard(here)
        os.close(fd)


def _take(work_fd: int) -> int:
    if kind(_LOCK, work_fd) not in {None, stat.S_IFREG}:
        raise _not_ours(f"{WORK}/{_LOCK}")
    fd = os.open(_LOCK, _LOCK_FLAGS, 0o644, dir_fd=work_fd)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()}\n".encode(), 0)
    except BlockingIOError:
        owner = os.pread(fd, 20, 0).decode("ascii", "replace").strip()
        os.close(fd)
        who = f"process {owner}" if owner.isdigit() else "another process"
        message = f"another gpuc ({who}) is writing {OUT}/; two at once would undo each other's work"
        raise EnvironmentFailure(Diagnostic("GPU908", message, help="wait until it ends, or end it")) from None
    except BaseException:
        os.close(fd)
        raise
    return fd


def tidy(root_fd: int, work_fd: int) -> None:
    """Undo what an interrupted run left: bring `out/` back if it was set aside, and drop unfinished trees.

    `old` exists only between the two renames of a file system that cannot exchange, and is then the whole old `out/`.
    """
    if kind(OUT, root_fd) is None and kind(OLD, work_fd) == stat.S_IFDIR:
        os.rename(OLD, OUT, src_dir_fd=work_fd, dst_dir_fd=root_fd)
    remove_tree(NEW, work_fd)
    if kind(OLD, work_fd) is not None:
        # Never leave half a tree under the name that means a whole one.
        os.rename(OLD, NEW, src_dir_fd=work_fd, dst_dir_fd=work_fd)
        remove_tree(NEW, work_fd)


def recover(root: Path) -> None:
    """Bring `out/` back if a run was killed while it was set aside; every command calls this before it reads `out/`.

    Where nothing is left over, or another run is at work, nothing happens.

    Raises:
        EnvironmentFailure: `out/` is set aside and cannot be brought back.
    """
    work = root / WORK
    if work.is_symlink() or not any(os.path.lexists(work / name) for name in (NEW, OLD)):
        return
    try:
        with lock(root):
            pass
    except EnvironmentFailure as failure:
        busy = any(diagnostic.rule == "GPU908" for diagnostic in failure.diagnostics)
        if not busy and not os.path.lexists(root / OUT):
            raise
