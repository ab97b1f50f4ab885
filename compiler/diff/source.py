"""Where the two sides of a comparison come from: a git revision's `out/`, the working tree's, or any folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from compiler.diagnostics import Diagnostic
from compiler.errors import EnvironmentFailure, InputError
from compiler.objects import Obj
from compiler.validate.kustomize_build import build
from compiler.validate.references import References
from compiler.validate.staging import staging, write_files
from compiler.write.git import program, run
from compiler.yaml.readback import UnreadableError, load_all

_MAX_BYTES = 32 * 1024 * 1024
NOT_COMPARABLE = "GPU066"


@dataclass(frozen=True)
class Side:
    """One side: what it is called, the objects of each Kustomize root, and the files that are no objects (Talos)."""

    name: str
    roots: Mapping[str, list[Obj]]
    files: Mapping[str, str] = field(default_factory=dict)


def revision_side(root: Path, revision: str, scratch: Path, kustomize: Path) -> Side:
    """Return `out/` as it is in a git revision of the repository around `root`.

    Raises InputError for a revision that git does not know, EnvironmentFailure where there is no git.
    """
    git = program(root)
    if git is None:
        raise EnvironmentFailure(Diagnostic(NOT_COMPARABLE, "git is not installed", help="compare two folders instead"))
    commit = run(git, root, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    if isinstance(commit, str):
        message = f"git does not know the revision {revision}: {commit}"
        raise InputError(Diagnostic(NOT_COMPARABLE, message, help="name a branch, a tag or a commit; fetch it first"))
    name = commit.decode().strip()
    listing = run(git, root, "ls-tree", "-r", "-z", name, "--", "out")
    if isinstance(listing, str):
        raise InputError(Diagnostic(NOT_COMPARABLE, f"git cannot list out/ in {revision}: {listing}"))
    files = {}
    for record in listing.split(b"\0"):
        info, _, path = record.partition(b"\t")
        if not info.startswith(b"100"):
            continue
        blob = run(git, root, "cat-file", "blob", info.split(b" ")[2].decode())
        if isinstance(blob, bytes):
            files[os.fsdecode(path).removeprefix("out/")] = blob.decode("utf-8", "replace")
    return _compiled(revision, files, scratch, kustomize)


def folder_side(folder: Path, name: str, scratch: Path, kustomize: Path) -> Side:
    """Return what a folder holds: a compiled tree, or manifests such as a chart's rendered output.

    `scratch` is where a staging folder may be made. Symbolic links are not followed.
    """
    files = _read(folder)
    if any(path.startswith(("overlays/", "base/")) for path in files):
        return _compiled(name, files, scratch, kustomize)
    objects: list[Obj] = []
    for path, text in sorted(files.items()):
        if not path.endswith((".yaml", ".yml", ".json")):
            continue
        try:
            objects += [item for item in load_all(text) if isinstance(item, dict) and _is_object(item)]
        except UnreadableError as error:
            raise InputError(Diagnostic(NOT_COMPARABLE, f"{name}/{path} cannot be read: {error}")) from None
    return Side(name, {"": objects})


def _is_object(item: Obj) -> bool:
    return isinstance(item.get("kind"), str) and isinstance(item.get("metadata"), dict) and "name" in item["metadata"]


def _read(folder: Path) -> dict[str, str]:
    files: dict[str, str] = {}
    size = 0
    paths = [folder] if folder.is_file() else sorted(folder.rglob("*"))
    for path in paths:
        if path.is_symlink() or not path.is_file():
            continue
        size += path.stat().st_size
        if size > _MAX_BYTES:
            message = f"{folder} holds more than {_MAX_BYTES // 1024 // 1024} MiB"
            raise InputError(Diagnostic(NOT_COMPARABLE, message, help="name the folder that holds the manifests"))
        shown = path.name if folder.is_file() else path.relative_to(folder).as_posix()
        files[shown] = path.read_text(encoding="utf-8", errors="replace")
    return files


def _compiled(name: str, files: Mapping[str, str], scratch: Path, kustomize: Path) -> Side:
    """Build every Kustomize root of a compiled tree."""
    if problems := References(files).problems():
        raise InputError(problems)
    roots = {}
    with staging(scratch) as where:
        write_files(where / "out", files)
        for folder in _roots(files):
            roots[folder] = build(kustomize, where, f"out/{folder}", f"out/{folder}")
    others = {path: text for path, text in files.items() if path.startswith("talos/")}
    return Side(name, roots, others)


def _roots(files: Mapping[str, str]) -> list[str]:
    """Return the folders that a GitOps tool applies."""
    found = []
    for path in files:
        folder, _, last = path.rpartition("/")
        parts = folder.split("/")
        applied = parts[0] in {"overlays", "flux", "argocd"} and (
            len(parts) == 2 or parts[2:] in (["monitoring"], ["gate"])  # noqa: PLR2004 -- overlays/<name>
        )
        if last == "kustomization.yaml" and applied:
            found.append(folder)
    return sorted(found)
