"""Putting a finished tree in the place of `out/` in one step."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from compiler.write.disk import kind
from compiler.write.paths import OUT
from compiler.write.work import NEW, OLD

_RENAME_EXCHANGE = 2  # <linux/fs.h>; macOS has the same value as RENAME_SWAP in <sys/stdio.h>
_NUMBERS = {"x86_64": 316, "aarch64": 276, "riscv64": 276, "ppc64le": 357, "s390x": 347, "armv7l": 382}
_CANNOT = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait until the end of the block: inside it the folders have each other's names for a moment.

    Blocking the signal would not do: it is this thread's alone, and Python hands a Ctrl-C that any other thread
    receives to the main one.
    """
    handled = callable(signal.getsignal(signal.SIGINT))
    if not handled or threading.current_thread() is not threading.main_thread():
        yield  # nobody is interrupted: the signal is ignored, or ends the process, or another thread gets it
        return
    came: list[tuple[int, FrameType | None]] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came and callable(before):
            before(*came[0])


def swap(root_fd: int, work_fd: int) -> None:
    """Make `new` of the work folder `out/`, and the old `out/`, if there is one, `new`.

    Where the file system can exchange two folders (ext4, XFS, Btrfs, F2FS, tmpfs, overlayfs, APFS, ...), there is no
    moment without a whole `out/`. Elsewhere two renames leave a moment without it; `work.tidy` knows that state.

    Raises:
        OSError: the folder cannot be moved; `out/` is as it was.
    """
    if kind(OUT, root_fd) is None:
        os.rename(NEW, OUT, src_dir_fd=work_fd, dst_dir_fd=root_fd)
    elif not _exchange(work_fd, NEW, root_fd, OUT):
        _set_aside(root_fd, work_fd)
    # The swap is done; a disk that cannot sync any more is no reason to say that it failed.
    with suppress(OSError):
        os.fsync(root_fd)


def _set_aside(root_fd: int, work_fd: int) -> None:
    os.rename(OUT, OLD, src_dir_fd=root_fd, dst_dir_fd=work_fd)
    try:
        os.rename(NEW, OUT, src_dir_fd=work_fd, dst_dir_fd=root_fd)
        os.rename(OLD, NEW, src_dir_fd=work_fd, dst_dir_fd=work_fd)
    except OSError:
        if kind(OUT, root_fd) is not None:
            os.rename(OUT, NEW, src_dir_fd=root_fd, dst_dir_fd=work_fd)
        os.rename(OLD, OUT, src_dir_fd=work_fd, dst_dir_fd=root_fd)
        raise


def _exchange(one_fd: int, one: str, other_fd: int, other: str) -> bool:
    """Exchange two entries in one step; False where the system cannot."""
    library = ctypes.CDLL(None, use_errno=True)
    before: tuple[ctypes.c_long, ...] = ()
    call = getattr(library, "renameatx_np" if sys.platform == "darwin" else "renameat2", None)
    if call is None and sys.platform == "linux" and platform.machine() in _NUMBERS:
        call, before = library.syscall, (ctypes.c_long(_NUMBERS[platform.machine()]),)
    if call is None:
        return False
    names = os.fsencode(one), os.fsencode(other)
    if call(*before, one_fd, ctypes.c_char_p(names[0]), other_fd, ctypes.c_char_p(names[1]), _RENAME_EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _CANNOT:
        return False
    raise OSError(number, os.strerror(number), other)
