"""Where the two sides of a comparison come from: a git revision's `out/`, the working tree's, or any folder.

All of it is hostile: a revision may come from a fork's pull request. Links are not followed, sizes are limited, and
kustomize is not run before what its files name was checked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from compiler.diagnostics import Diagnostic
from compiler.diff.side import Side
from compiler.errors import EnvironmentFailure, InputError
from compiler.objects import Json, Obj
from compiler.validate.kustomize_build import build
from compiler.validate.references import References
from compiler.validate.staging import staging, write_files
from compiler.write.git import program, run
from compiler.yaml.readback import UnreadableError, load_all

_MAX_BYTES = 32 * 1024 * 1024
_MAX_FILES = 20_000
_MANIFESTS = (".yaml", ".yml", ".json")
NOT_COMPARABLE = "GPU066"


def revision_side(root: Path, revision: str, scratch: Path, kustomize: Path) -> Side:
    """Return `out/` as it is in a git revision of the repository around `root`; no objects if it has no out/.

    Raises:
        InputError: git does not know the revision, or its out/ is too big or cannot be built.
        EnvironmentFailure: there is no git, or kustomize cannot be run.
    """
    git = program(root)
    if git is None:
        raise EnvironmentFailure(Diagnostic(NOT_COMPARABLE, "git is not installed", help="compare two folders instead"))
    commit = run(git, root, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    if isinstance(commit, str):
        message = f"{revision} is neither a folder nor a revision that git knows ({commit.removeprefix('fatal: ')})"
        help_ = "name a folder, a branch, a tag or a commit; a shallow clone needs `git fetch --unshallow` first"
        raise _not_comparable(message, help_)
    listing = run(git, root, "ls-tree", "-r", "-z", "-l", commit.decode().strip(), "--", "out")
    if isinstance(listing, str):
        raise _not_comparable(f"git cannot list out/ in {revision}: {listing}")
    blobs: dict[str, str] = {}
    size = 0
    for record in os.fsdecode(listing).split("\0")[:-1]:
        info, _, path = record.partition("\t")
        mode, _, blob, length = info.split()
        if mode.startswith("100"):
            size += int(length) if length.isdigit() else 0
            blobs[path.removeprefix("out/")] = blob
    _limited(f"out/ in {revision}", size, len(blobs))
    files = {}
    for path, blob in blobs.items():
        content = run(git, root, "cat-file", "blob", blob)
        if isinstance(content, str):
            message = f"git does not have {path} of {revision}: {content}"
            raise _not_comparable(message, "a partial clone needs `git fetch --refetch --no-filter` first")
        files[path] = content.decode("utf-8", "replace")
    return _compiled(revision, files, scratch, kustomize)


def folder_side(folder: Path, name: str, scratch: Path, kustomize: Path) -> Side:
    """Return what a folder holds: a compiled tree, or manifests such as a chart's rendered output.

    `scratch` is where a staging folder may be made. Symbolic links are not followed.

    Raises:
        InputError: the folder is too big, or holds what cannot be read or built.
        EnvironmentFailure: kustomize cannot be run.
    """
    try:
        files = _read(folder, name)
    except OSError as error:
        raise _not_comparable(f"{name} cannot be read: {error.strerror or error}") from None
    if any(path.startswith(("overlays/", "base/")) for path in files):
        return _compiled(name, files, scratch, kustomize)
    objects: list[Obj] = []
    for path, text in sorted(files.items()):
        if path.endswith(_MANIFESTS):
            try:
                objects += _objects(load_all(text))
            except UnreadableError as error:
                raise _not_comparable(f"{name}/{path} cannot be read: {error}") from None
    return Side(name, {"": objects})


def _not_comparable(message: str, help_: str | None = None) -> InputError:
    return InputError(Diagnostic(NOT_COMPARABLE, message, help=help_))


def _limited(what: str, size: int, count: int) -> None:
    if size > _MAX_BYTES or count > _MAX_FILES:
        message = f"{what} holds more than {_MAX_BYTES // 1024 // 1024} MiB or {_MAX_FILES} files"
        raise _not_comparable(message, "name the folder that holds the manifests")


def _objects(documents: list[Json]) -> Iterator[Obj]:
    """Yield the Kubernetes objects among documents, those in lists too."""
    for item in documents:
        if isinstance(item, list):
            yield from _objects(item)
        if not isinstance(item, dict):
            continue
        if str(item.get("kind")).endswith("List") and isinstance(item.get("items"), list):
            yield from _objects(item["items"])
        elif _is_object(item):
            yield item


def _is_object(item: Obj) -> bool:
    meta = item.get("metadata")
    return (
        isinstance(item.get("apiVersion"), str)
        and isinstance(item.get("kind"), str)
        and isinstance(meta, dict)
        and isinstance(meta.get("name"), str)
        and isinstance(meta.get("namespace", ""), str)
    )


def _read(folder: Path, name: str) -> dict[str, str]:
    files: dict[str, str] = {}
    size = 0
    paths = [folder] if folder.is_file() else sorted(folder.rglob("*"))
    for path in paths:
        if path.is_symlink() or not path.is_file():
            continue
        size += path.stat().st_size
        _limited(name, size, len(files))
        shown = path.name if folder.is_file() else path.relative_to(folder).as_posix()
        files[shown] = path.read_text(encoding="utf-8", errors="replace")
    return files


def _compiled(name: str, files: Mapping[str, str], scratch: Path, kustomize: Path) -> Side:
    """Build every Kustomize root of a compiled tree."""
    roots = {}
    try:
        if problems := References(files).problems():
            raise InputError(problems)
        with staging(scratch) as where:
            write_files(where / "out", files)
            for folder in _roots(files):
                roots[folder] = list(_objects(build(kustomize, where, f"out/{folder}", f"out/{folder}")))
    except (UnreadableError, ValueError) as error:
        raise _not_comparable(f"out/ of {name} cannot be read: {error}") from None
    others = {path: text for path, text in files.items() if path.startswith(("talos/", "components/"))}
    return Side(name, roots, others)


def _roots(files: Mapping[str, str]) -> list[str]:
    """Return the folders that a GitOps tool applies: those of an overlay, its monitoring, and what delivers them."""
    found = []
    for path in files:
        folder, _, last = path.rpartition("/")
        top, _, below = folder.partition("/")
        _, _, rest = below.partition("/")
        if (
            last == "kustomization.yaml"
            and top in {"overlays", "flux", "argocd"}
            and rest in {"", "monitoring", "gate"}
        ):
            found.append(folder)
    return sorted(found)
