"""`gpuc compile`: inputs -> checks -> manifests -> kustomize build -> kubeconform -> replace out/."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from compiler.cli.output import FormatOption, RootOption, progress, report
from compiler.cli.render import Format
from compiler.pipeline import build, validated
from compiler.write import Plan, apply, lock, plan, recover


def command(
    root: RootOption = Path(),
    force: Annotated[bool, typer.Option("--force", help="Overwrite uncommitted hand edits in out/.")] = False,  # noqa: FBT002
    format: FormatOption = Format.TEXT,  # noqa: A002 -- the option's name
) -> None:
    """Compile base/ and overlays/ into out/; nothing changes there unless everything passed."""
    with lock(root):
        recover(root)
        result = validated(build(root), root, progress)
        changes = plan(root, result.files)
        apply(changes, force=force)
    report(result.diagnostics, format)
    if format is Format.TEXT:
        typer.echo(f"{result.summary}; {_changes(changes)}")


def _changes(changes: Plan) -> str:
    counts = [(len(changes.added), "added"), (len(changes.changed), "changed"), (len(changes.removed), "removed")]
    said = ", ".join(f"{count} {word}" for count, word in counts if count)
    return f"out/: {said}" if said else "out/ is current"
