"""`gpuc talos`: the Talos image of each node pool, for people and for scripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from compiler.cli.output import RootOption
from compiler.cli.render import Format
from compiler.diagnostics import Diagnostic
from compiler.errors import ExitCode, InputError
from compiler.pipeline import read
from compiler.talos import Image, pool_image


def command(
    root: RootOption = Path(),
    overlay: Annotated[str | None, typer.Option("--overlay", help="Only this overlay.")] = None,
    pool: Annotated[str | None, typer.Option("--pool", help="Only this node pool.")] = None,
    expect_id: Annotated[
        str | None, typer.Option("--expect-id", help="Exit 1 unless every image has this schematic ID.")
    ] = None,
    format: Annotated[Format, typer.Option("--format", help="text or json.")] = Format.TEXT,  # noqa: A002 -- the option
) -> None:
    """Print each node pool's schematic ID and installer image, computed offline."""
    images = {
        (environment.name, node_pool.name): image
        for environment in read(root).environments
        for node_pool in environment.overlay.node_pools
        if overlay in (None, environment.name) and pool in (None, node_pool.name)
        if (image := pool_image(node_pool, environment.stack.platform))
    }
    if not images:
        message = "no node pool here runs Talos and says which image: give it a `talos:` block"
        raise InputError(
            Diagnostic("GPU064", message, help="driver, modules, extensions and imagePlatform; editors complete it")
        )
    typer.echo(_json(images) if format is Format.JSON else _text(images), nl=False)
    if expect_id is not None and any(image.id != expect_id for image in images.values()):
        typer.echo(f"not the expected schematic {expect_id}", err=True)
        raise typer.Exit(ExitCode.FINDINGS)


def _text(images: dict[tuple[str, str], Image]) -> str:
    lines = []
    for (overlay, pool), image in images.items():
        lines += [f"{overlay}/{pool}", f"  schematic         {image.id}", f"  without driver    {image.base_id}"]
        lines.append(f"  installer         {image.installer}")
    return "\n".join(lines) + "\n"


def _json(images: dict[tuple[str, str], Image]) -> str:
    found = [
        {
            "overlay": overlay,
            "pool": pool,
            "schematic": image.id,
            "schematicWithoutDriver": image.base_id,
            "installer": image.installer,
        }
        for (overlay, pool), image in images.items()
    ]
    return json.dumps({"images": found}, indent=2) + "\n"
