"""Where things are printed: results on standard output, findings for people on standard error."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from compiler.cli.render import Format, render, summary
from compiler.diagnostics import Diagnostic

RootOption = Annotated[
    Path,
    typer.Option(
        "--root", help="Repository with base/ and overlays/.", file_okay=False, exists=True, resolve_path=True
    ),
]
FormatOption = Annotated[Format, typer.Option("--format", help="How findings are printed.")]


def report(diagnostics: Sequence[Diagnostic], style: Format) -> None:
    """Print findings; for machines on standard output, for people on standard error with a count below them."""
    if style is Format.TEXT:
        if diagnostics:
            typer.echo(render(diagnostics, style), err=True, nl=False)
            typer.echo(summary(diagnostics), err=True)
    else:
        typer.echo(render(diagnostics, style), nl=False)


def progress(message: str) -> None:
    """Say on standard error what takes long."""
    typer.echo(message, err=True)
