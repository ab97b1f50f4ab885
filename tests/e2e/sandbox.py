"""A place for one run that vanishes with it.

The run gets a process namespace of its own, so the kernel kills everything in it when its first process ends, even by
`kill -9`; mounts of its own, so its working folder is a tmpfs that nobody else sees and that leaves nothing behind; and
a network of its own with nothing but loopback, so nothing is fetched and nobody else reaches the cluster. Without root,
a user namespace allows all of it.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from tests.e2e import linux

_OWN = linux.CLONE_NEWNS | linux.CLONE_NEWPID | linux.CLONE_NEWNET
_HELP = """\
e2e needs namespaces of its own (mounts, processes, network), and the kernel refuses them: {error}
Run it as root, or allow user namespaces (on Ubuntu: sysctl kernel.apparmor_restrict_unprivileged_userns=0)."""


class Interrupted(BaseException):
    """The run was asked to stop. Not an Exception, so that no retry swallows it."""


def run_inside(folder: Path, main: Callable[[Path], int]) -> int:
    """Run `main` in its own namespaces, with an empty tmpfs at `folder`.

    Args:
        folder: where the tmpfs goes; made if missing. Outside of the run it stays an empty folder.
        main: gets `folder`, returns the exit code.

    Returns:
        The exit code of `main`, 128 plus the signal that ended it, or 5 where namespaces are not allowed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    user, group, root = os.getuid(), os.getgid(), os.geteuid() == 0
    sys.stdout.flush()
    if not _leave():
        return 5
    if not root:
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1", encoding="ascii")
    linux.mount("none", Path("/"), flags=linux.MS_REC | linux.MS_PRIVATE)
    linux.loopback_up()
    child = os.fork()
    if child == 0:
        os._exit(_first_process(folder, main))
    return _wait(child)


def is_allowed() -> bool:
    """Say whether this machine allows namespaces, and print why where it does not. This process stays where it is."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os._exit(0 if _leave() else 1)
    return os.waitpid(child, 0)[1] == 0


def _leave() -> bool:
    """Leave the namespaces that this process shares with others; say why where the kernel refuses."""
    try:
        linux.unshare(_OWN if os.geteuid() == 0 else _OWN | linux.CLONE_NEWUSER)
    except OSError as error:
        print(_HELP.format(error=error), file=sys.stderr, flush=True)
        return False
    return True


def _first_process(folder: Path, main: Callable[[Path], int]) -> int:
    """Be process 1 of the namespace: when this returns, the kernel ends all others in it."""
    linux.die_with_parent()
    os.setsid()  # the terminal's Ctrl-C goes to the parent, which asks once
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _interrupt)
    try:
        linux.mount("tmpfs", folder, "tmpfs", options="mode=0755")
        return main(folder)
    except Interrupted:
        print("interrupted: everything is stopped", file=sys.stderr)
        return 130
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise Interrupted


def _wait(child: int) -> int:
    def forward(_number: int, _frame: FrameType | None) -> None:
        os.kill(child, signal.SIGTERM)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, forward)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code
