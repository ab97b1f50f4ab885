"""`gpuc check`: the same as compile, in memory, and whether out/ is what the inputs compile to."""

from __future__ import annotations

from pathlib import Path

import typer

from compiler.cli.output import FormatOption, RootOption, progress, report
from compiler.cli.render import Format
from compiler.errors import ExitCode
from compiler.pipeline import build, validated
from compiler.write import differences, plan


def command(root: RootOption = Path(), format: FormatOption = Format.TEXT) -> None:  # noqa: A002 -- the option's name
    """Say whether out/ is current, and which files differ and how; exit 4 when it is not."""
    result = validated(build(root), root, progress)
    changes = plan(root, result.files)
    report(result.diagnostics, format)
    if changes.is_current:
        if format is Format.TEXT:
            typer.echo(f"{result.summary}; out/ is current")
        return
    if format is Format.TEXT:
        for difference in differences(changes):
            typer.echo(difference.diff, nl=False)
        typer.echo("out/ is stale: run `gpuc compile` and commit the result", err=True)
    raise typer.Exit(ExitCode.STALE)
