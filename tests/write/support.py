"""A folder to compile into, in the words of the tests."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Mapping
from pathlib import Path

from compiler.write import Plan, apply, plan

OLD = {"base/a.yaml": "a: 1\n", "base/b/c.yaml": "c: 1\n", "overlays/x/k.yaml": "k: 1\n"}
NEW = {"base/a.yaml": "a: 2\n", "base/d.yaml": "d: 1\n", "overlays/x/k.yaml": "k: 1\n"}


def compile_to(root: Path, files: Mapping[str, str], *, force: bool = False) -> Plan:
    """Do what `gpuc compile` does at its end."""
    made = plan(root, files)
    apply(made, force=force)
    return made


def tree(folder: Path) -> dict[str, str]:
    """Return every entry below a folder: a file's text, a link's target, "<folder>" for an empty folder."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_dir():
            if not any(path.iterdir()):
                found[name] = "<folder>"
        elif path.is_file():
            found[name] = path.read_bytes().decode("utf-8", "surrogateescape")
        else:
            found[name] = "<special>"
    return found


def owned_tree(folder: Path) -> dict[str, str]:
    """Return `tree` without `.gpuc.json`."""
    return {name: text for name, text in tree(folder).items() if name != ".gpuc.json"}


def stamps(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Return inode, time and mode of everything below a folder, and of the folder itself."""
    found = {}
    for path in [folder, *folder.rglob("*")]:
        status = path.lstat()
        found[str(path)] = (status.st_ino, status.st_mtime_ns, stat.S_IMODE(status.st_mode))
    return found


def write(path: Path, text: str) -> Path:
    """Write a file with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def git(folder: Path, *arguments: str, check: bool = True) -> str:
    """Run git as a person with no configuration of their own would."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "LC_ALL": "C"}
    names = ("-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", *names, *arguments], cwd=folder, env=environment, check=check, capture_output=True, text=True
    )
    return done.stdout


def commit_all(folder: Path, message: str = "change") -> None:
    """Commit everything that git sees."""
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
