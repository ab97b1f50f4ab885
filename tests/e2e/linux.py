"""The few Linux calls that Python 3.11 has no wrapper for: namespaces, mounts, and dying with one's parent."""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal
import socket
import struct
from pathlib import Path

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
_PR_SET_PDEATHSIG = 1
_SIOCGIFFLAGS = 0x8913
_SIOCSIFFLAGS = 0x8914
_IFF_UP = 1

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mount.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p)


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Give this process namespaces of its own (unshare(2)).

    Args:
        flags: CLONE_NEW* values, combined.

    Raises:
        OSError: the kernel refuses, for example where user namespaces are switched off.
    """
    _check(_libc.unshare(flags), "unshare")


def mount(source: str, target: Path, kind: str = "", flags: int = 0, options: str = "") -> None:
    """Mount a file system, or bind a path to another one (mount(2)).

    Args:
        source: path, device or name of the file system.
        target: an existing path.
        kind: type of file system; empty for a bind mount.
        flags: MS_* values, combined.
        options: options of the file system, as in `size=1g`.

    Raises:
        OSError: the kernel refuses.
    """
    encoded = (source.encode(), os.fsencode(target), kind.encode() or None, flags, options.encode() or None)
    _check(_libc.mount(*encoded), f"mount {source} at {target}")


def bind(source: Path, target: Path) -> None:
    """Make `source`, and everything mounted below it, visible at `target` too; both exist and are of one type."""
    mount(str(source), target, flags=MS_BIND | MS_REC)


def private_mounts() -> None:
    """Give this process mounts of its own: what it mounts from now on is seen by nobody else."""
    unshare(CLONE_NEWNS)
    mount("none", Path("/"), flags=MS_REC | MS_PRIVATE)


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends, however that comes about (prctl(2))."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "prctl")


def loopback_up() -> None:
    """Switch on `lo`, which a new network namespace has but leaves off (netdevice(7))."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        request = struct.pack("16sH14x", b"lo", 0)
        _, flags = struct.unpack("16sH14x", fcntl.ioctl(handle, _SIOCGIFFLAGS, request))
        fcntl.ioctl(handle, _SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | _IFF_UP))
