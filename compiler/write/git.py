"""What git knows about `out/`, read without running anything that the repository asks for.

Only plumbing that reads git's own data is used: the index (`ls-files --stage`) and the tree of HEAD (`ls-tree`). No
command here looks at a working file through git, so no filter, textconv or diff driver runs; hooks, the file system
monitor and network transports are switched off. The bytes of working files are hashed here instead.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from compiler.write.paths import OUT, shown

TIMEOUT_SECONDS = 30
_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "core.untrackedCache=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
)
# Files that git keeps in its folder while a merge, rebase, cherry-pick or revert waits for the user.
_IN_PROGRESS = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "rebase-merge", "rebase-apply")


@dataclass(frozen=True)
class GitState:
    """Blob ids of the files of `out/`, by path relative to `out/`.

    `committed` is HEAD's tree; `staged` the index, with up to three ids for a path in conflict; `unmerged` the paths
    in conflict; `merging` is true while a merge (or rebase, ...) waits. `missing` says why git could not be asked.
    """

    committed: dict[str, str] = field(default_factory=dict)
    staged: dict[str, set[str]] = field(default_factory=dict)
    unmerged: set[str] = field(default_factory=set)
    merging: bool = False
    missing: str | None = None


def read_git(root: Path) -> GitState:
    """Ask git about `out/` below `root`, which may be a subfolder of a bigger repository, or a worktree."""
    git = program(root)
    if git is None:
        return GitState(missing="git is not installed")
    index = run(git, root, "ls-files", "--stage", "-z", "--", OUT)
    if isinstance(index, str):
        return GitState(missing=f"git says: {index}")
    # There is no HEAD before the first commit: then nothing is committed.
    tree = run(git, root, "ls-tree", "-r", "-z", "HEAD", "--", OUT)
    state = GitState(committed={} if isinstance(tree, str) else _tree(tree), merging=_in_progress(git, root))
    for record in _records(index):
        info, _, path = record.partition("\t")
        mode, blob, stage = info.split(" ")
        if mode.startswith("100"):
            state.staged.setdefault(_below(path), set()).add(blob)
        if stage != "0":
            state.unmerged.add(_below(path))
    return state


def blob_ids(data: bytes, like: str) -> set[str]:
    """Return the ids under which git would store these bytes: as they are, and with CRLF turned into LF (autocrlf).

    `like` is an id of the same repository; its length tells SHA-1 from SHA-256.
    """
    versions = {data, data.replace(b"\r\n", b"\n")}
    return {
        _blob_id(version, "sha256" if len(like) == hashlib.sha256().digest_size * 2 else "sha1") for version in versions
    }


def _blob_id(data: bytes, algorithm: str) -> str:
    return hashlib.new(algorithm, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def program(root: Path) -> str | None:
    """Return the git on PATH, unless PATH leads into the repository."""
    found = shutil.which("git")
    if found is None or not Path(found).is_absolute() or Path(found).resolve().is_relative_to(root.resolve()):
        return None
    return found


def run(git: str, root: Path, *arguments: str) -> bytes | str:
    """Return what a git command prints, or the first line of its complaint."""
    # The caller's GIT_DIR, GIT_INDEX_FILE and the like belong to another command (gpuc may run in a hook).
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    try:
        done = subprocess.run(
            [git, "--no-pager", *settings, *arguments],
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return shown(str(error))
    if done.returncode:
        return shown(done.stderr.decode("utf-8", "replace").strip().partition("\n")[0] or f"exit {done.returncode}")
    return done.stdout


def _records(output: bytes) -> list[str]:
    return [os.fsdecode(record) for record in output.split(b"\0") if record]


def _below(path: str) -> str:
    return path.removeprefix(f"{OUT}/")


def _tree(output: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    for record in _records(output):
        info, _, path = record.partition("\t")
        mode, _, blob = info.split(" ")
        if mode.startswith("100"):
            found[_below(path)] = blob
    return found


def _in_progress(git: str, root: Path) -> bool:
    where = run(git, root, "rev-parse", "--absolute-git-dir")
    if isinstance(where, str):
        return False
    git_dir = Path(os.fsdecode(where.removesuffix(b"\n")))
    return any((git_dir / name).exists() for name in _IN_PROGRESS)
