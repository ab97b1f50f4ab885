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
    root: RootOption = Path(),
    format: Annotated[DiffFormat, typer.Option("--format", help="text, markdown or json.")] = DiffFormat.TEXT,  # noqa: A002
) -> None:
    """Compare two compiled trees, or any two folders of manifests, as Kubernetes objects; exits 0 either way."""
    recover(root)
    kustomize = find_tool("kustomize", root, progress)
    with tempfile.TemporaryDirectory(prefix="gpuc-diff-") as folder:
        scratch = Path(folder)
        before = _side(root, old, scratch, kustomize)
        after = _side(root, new, scratch, kustomize) if new else folder_side(root / "out", "out", scratch, kustomize)
    changes = compare(before.roots, after.roots)
    meant = effects(changes, before.files, after.files)
    render = {DiffFormat.TEXT: as_text, DiffFormat.JSON: as_json, DiffFormat.MARKDOWN: as_markdown}[format]
    text = render(changes, meant)
    typer.echo(text if format is DiffFormat.JSON else safe(text), nl=False)


def _side(root: Path, named: str, scratch: Path, kustomize: Path) -> Side:
    """Return the side that an argument names: a folder or file where there is one, else a git revision."""
    path = Path(named)
    if path.is_dir() or (path.is_file() and "." in named):
        return folder_side(path, named, scratch, kustomize)
    if named.startswith("-"):
        raise InputError(Diagnostic(NOT_COMPARABLE, f"{named} is neither a folder nor a revision"))
    return revision_side(root, named, scratch, kustomize)
