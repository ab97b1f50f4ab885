"""`gpuc schema`: JSON Schemas of the inputs, for editors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from compiler.cli.output import RootOption
from compiler.diagnostics import Diagnostic
from compiler.errors import EnvironmentFailure, ExitCode
from compiler.inputschema import schemas


def command(
    root: RootOption = Path(),
    *,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 4 when a schema is stale.")] = False,
) -> None:
    """Write base/gpustack.schema.json and overlays/overlay.schema.json, which the inputs' first line names."""
    stale = []
    for name, text in schemas().items():
        path = root / name
        if path.is_file() and path.read_bytes() == text.encode():
            continue
        stale.append(name)
        if not check:
            _write(path, root, text)
    for name in stale:
        typer.echo(f"{name} {'is stale' if check else 'written'}")
    if not stale:
        typer.echo("schemas are current")
    if check and stale:
        raise typer.Exit(ExitCode.STALE)


def _write(path: Path, root: Path, text: str) -> None:
    """Write a schema, never through a symbolic link that leads out of the repository."""
    if path.is_symlink() or not path.parent.resolve().is_relative_to(root):
        message = f"{path.relative_to(root)} is, or is behind, a symbolic link: gpuc does not write through one"
        raise EnvironmentFailure(Diagnostic("GPU063", message, help="replace the link by a file or folder of its own"))
    try:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        message = f"{path.relative_to(root)} cannot be written: {error.strerror}"
        raise EnvironmentFailure(Diagnostic("GPU063", message, help="make the folder writable")) from None
