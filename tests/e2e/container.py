"""Runs one program as a container runtime would: with its own view of the file system, but the machine's libraries.

`start` writes what to do into a file and runs this module in a new process, which leaves its parent's mounts, builds a
root folder out of bind mounts and becomes the program. All of it lives in the run's tmpfs and in mounts that end with
the process.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from tests.e2e import linux
from tests.e2e.build import CHECKOUT
from tests.e2e.processes import Program, Programs


def start(
    programs: Programs,
    name: str,
    folder: Path,
    command: Sequence[str | Path],
    env: Mapping[str, str],
    mounts: Mapping[str, Path],
) -> Program:
    """Start a program in a container.

    Args:
        programs: what the process belongs to.
        name: of the container, unique among the programs.
        folder: working folder, which does not exist yet.
        command: the program, as a path of the machine or as seen in the container, and its arguments.
        env: its whole environment.
        mounts: absolute paths in the container to files or folders of the machine. Where a folder on the way is a
            folder of the machine too, the rest of it stays visible.

    Returns:
        The running program.
    """
    folder.mkdir(parents=True)
    order = folder / "container.json"
    order.write_text(
        json.dumps(
            {
                "root": str(folder / "root"),
                "command": [str(part) for part in command],
                "env": dict(env),
                "mounts": {target: str(source) for target, source in mounts.items()},
            }
        ),
        encoding="utf-8",
    )
    return programs.start(name, [sys.executable, "-m", __name__, order], cwd=CHECKOUT)


def become(order: Path) -> None:
    """Turn this process into the program that the file describes. Returns only by raising."""
    wanted = json.loads(order.read_text(encoding="utf-8"))
    root = Path(wanted["root"])
    linux.private_mounts()
    root.mkdir()
    mounts = {PurePosixPath(target): Path(source) for target, source in wanted["mounts"].items()}
    mirror(Path("/"), root, PurePosixPath("/"), mounts)
    os.chroot(root)
    os.chdir("/")
    os.execve(wanted["command"][0], wanted["command"], wanted["env"])  # noqa: S606 - no shell is what is wanted


def mirror(source: Path, target: Path, seen_as: PurePosixPath, mounts: Mapping[PurePosixPath, Path]) -> None:
    """Fill `target` with bind mounts of what is in `source`, and of `mounts` where they say otherwise.

    Args:
        source: a folder of the machine; one that does not exist counts as empty.
        target: an empty folder.
        seen_as: the path of `target` in the container.
        mounts: paths in the container to what is mounted there; those outside of `seen_as` are ignored.
    """
    below = {path for path in mounts if seen_as in path.parents}
    on_the_way = {path.relative_to(seen_as).parts[0] for path in below}
    here = {entry.name for entry in os.scandir(source)} if source.is_dir() else set()
    for name in sorted(here | on_the_way):
        inner, there, path = source / name, target / name, seen_as / name
        if path in mounts:
            _bind(mounts[path], there)
        elif name in on_the_way:
            there.mkdir()
            mirror(inner, there, path, mounts)
        elif inner.is_symlink():
            there.symlink_to(inner.readlink())
        else:
            _bind(inner, there)


def _bind(source: Path, target: Path) -> None:
    if source.is_dir():
        target.mkdir()
    else:
        target.touch()
    linux.bind(source, target)


if __name__ == "__main__":
    become(Path(sys.argv[1]))
