"""What the cluster's Flux reads: this repository's own commit, edited and compiled again by the real gpuc."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from compiler.tools import find_tool
from tests.e2e.api import Obj
from tests.e2e.build import CHECKOUT
from tests.e2e.gitserver import Repository

_SERVED = ("README.md", "base", "docs", "overlays", "out")


class CompileFailed(Exception):
    """`gpuc compile` or `kustomize build` refuses what it was given. The message is theirs."""


def serve_checkout(repository: Repository) -> tuple[str, str]:
    """Make the checkout's HEAD the head of the served repository.

    Where inputs or out/ have changes that are not committed, or where there is no git repository, as in a source
    distribution, they are committed on top.

    Returns:
        The commit's hash, and what it is in words.
    """
    if not (CHECKOUT / ".git").exists():
        return _commit_files(repository), "this source tree"
    revision = repository.take(CHECKOUT)
    if _git("status", "--porcelain", "--", *_SERVED, repository=repository):
        return _commit_files(repository), f"the commit {revision[:7]} of this repository, with changes on top"
    return revision, f"the commit {revision[:7]} of this repository"


def _commit_files(repository: Repository) -> str:
    for name in _SERVED:
        source, target = CHECKOUT / name, repository.tree / name
        if target.is_dir():
            shutil.rmtree(target)
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy(source, target)
    return repository.commit("What is not committed yet")


def _git(*arguments: str, repository: Repository) -> str:
    env = {**os.environ, "GIT_CONFIG_GLOBAL": str(repository.config), "GIT_OPTIONAL_LOCKS": "0"}
    return subprocess.run(
        ["git", *arguments], cwd=CHECKOUT, env=env, check=True, capture_output=True, text=True
    ).stdout.strip()


def edit(path: Path, old: str, new: str) -> None:
    """Replace the one occurrence of a text in a file.

    Raises:
        LookupError: there is none, or more than one.
    """
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise LookupError(f"{path} has {old!r} {text.count(old)} times, not once")
    path.write_text(text.replace(old, new), encoding="utf-8")


def write(path: Path, content: Obj) -> None:
    """Write a mapping to a file, as JSON, which is YAML too; folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


def gpuc_compile(root: Path) -> str:
    """Run `gpuc compile` on a repository, and return what it says.

    Raises:
        CompileFailed: it finds a mistake.
    """
    env = {**os.environ, "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    return _run([str(Path(sys.executable).with_name("gpuc")), "compile", "--force", "--root", str(root)], env)


def kustomize_build(folder: Path) -> list[Obj]:
    """Return what `kustomize build` makes of a folder.

    Raises:
        CompileFailed: it refuses.
    """
    return parse(_run([str(find_tool("kustomize", None)), "build", str(folder)], dict(os.environ)))


def parse(text: str) -> list[Obj]:
    """Return the documents of a YAML stream, empty ones left out."""
    documents: Any = YAML(typ="safe").load_all(io.StringIO(text))
    return [one for one in documents if one]


def _run(command: list[str], env: dict[str, str]) -> str:
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CompileFailed(f"{Path(command[0]).name} {command[1]}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout.strip()
