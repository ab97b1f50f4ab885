"""`gpuc diff`: what a change does, object by object and in plain words."""

from __future__ import annotations

import tempfile
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from compiler.cli.output import RootOption, progress
from compiler.cli.render import safe
from compiler.diagnostics import Diagnostic
from compiler.diff import Side, as_json, as_markdown, as_text, compare, effects, folder_side, revision_side
from compiler.diff.source import NOT_COMPARABLE
from compiler.errors import InputError
from compiler.tools import find_tool
from compiler.write import recover


class DiffFormat(StrEnum):
    """How a comparison is printed."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


def command(
    old: Annotated[str, typer.Argument(help="Git revision, or a folder, to compare with.")] = "HEAD",
    new: Annotated[str | None, typer.Argument(help="The other side; out/ of the working tree if left out.")] = None,
    *,
    root: RootOption = Path(),
    overlay: Annotated[str | None, typer.Option("--overlay", help="Only this overlay.")] = None,
    full: Annotated[bool, typer.Option("--full", help="All of it, also what does not fit on a screen.")] = False,
    format: Annotated[DiffFormat, typer.Option("--format", help="text, markdown or json.")] = DiffFormat.TEXT,  # noqa: A002
) -> None:
    """Compare two compiled trees, or any two folders of manifests, as Kubernetes objects; exits 0 either way."""
    recover(root)
    kustomize = find_tool("kustomize", root, progress)
    with tempfile.TemporaryDirectory(prefix="gpuc-diff-") as folder:
        scratch = Path(folder)
        before = _only(_side(root, old, scratch, kustomize), overlay)
        after = _only(_side(root, new, scratch, kustomize) if new else _working(root, scratch, kustomize), overlay)
    if overlay and not before.roots and not after.roots:
        raise InputError(Diagnostic(NOT_COMPARABLE, f"neither side has an overlay {overlay}"))
    changes = compare(before.roots, after.roots)
    meant = effects(changes, before, after)
    if format is DiffFormat.JSON:
        text = as_json(changes, meant)
    elif format is DiffFormat.MARKDOWN:
        text = safe(as_markdown(changes, meant))
    else:
        text = safe(as_text(changes, meant, full=full))
    typer.echo(text, nl=False)


def _working(root: Path, scratch: Path, kustomize: Path) -> Side:
    """Return out/ of the working tree."""
    out = root / "out"
    if out.is_symlink() or not out.is_dir():
        raise InputError(Diagnostic(NOT_COMPARABLE, f"there is no folder {out}", help="run `gpuc compile` first"))
    return folder_side(out, "out", scratch, kustomize)


def _side(root: Path, named: str, scratch: Path, kustomize: Path) -> Side:
    """Return the side that an argument names: a folder or file where there is one, else a git revision."""
    path = Path(named)
    if named and (path.is_dir() or (path.is_file() and path.suffix)):
        return folder_side(path, named, scratch, kustomize)
    return revision_side(root, named, scratch, kustomize)


def _only(side: Side, overlay: str | None) -> Side:
    """Return what belongs to an overlay, whose name is the second part of every path below out/ but those of bases."""
    if overlay is None or "" in side.roots:
        return side
    roots = {root: objects for root, objects in side.roots.items() if root.split("/")[1] == overlay}
    files = {path: text for path, text in side.files.items() if overlay in path.split("/")[1:3]}
    return Side(side.name, roots, files)
