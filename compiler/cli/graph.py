"""`gpuc graph`: an environment as a picture."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from compiler.cli.output import RootOption
from compiler.diagnostics import Diagnostic
from compiler.errors import InputError
from compiler.pipeline import read
from compiler.runbook import mermaid, svg


class Picture(StrEnum):
    """What a picture is written as."""

    MERMAID = "mermaid"
    SVG = "svg"


def command(
    overlay: Annotated[str | None, typer.Argument(help="Overlay to draw; needed where there are several.")] = None,
    root: RootOption = Path(),
    format: Annotated[Picture, typer.Option("--format", help="mermaid or svg.")] = Picture.MERMAID,  # noqa: A002
) -> None:
    """Print node pools, nodes, cards, slices and who holds them, as Mermaid or as a self-contained SVG."""
    environments = {environment.name: environment for environment in read(root).environments}
    name = overlay or (next(iter(environments)) if len(environments) == 1 else None)
    if name is None or name not in environments:
        asked = f"there is no overlay {name}" if name else "say which overlay to draw"
        raise InputError(Diagnostic("GPU065", asked, help=f"there are: {', '.join(sorted(environments))}"))
    draw = mermaid if format is Picture.MERMAID else svg
    typer.echo(draw(environments[name]), nl=False)
