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

_NO_IMAGE = "GPU064"


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
    environments = read(root).environments
    _known("overlay", overlay, [environment.name for environment in environments])
    environments = tuple(item for item in environments if overlay in (None, item.name))
    _known("node pool", pool, [item.name for environment in environments for item in environment.overlay.node_pools])
    images = {
        (environment.name, node_pool.name): image
        for environment in environments
        for node_pool in environment.overlay.node_pools
        if pool in (None, node_pool.name)
        if (image := pool_image(node_pool, environment.stack.platform))
    }
    if not images:
        message = "no node pool here runs Talos and says which image: give it a `talos:` block"
        raise InputError(
            Diagnostic(_NO_IMAGE, message, help="driver, modules, extensions and imagePlatform; editors complete it")
        )
    typer.echo(_json(images) if format is Format.JSON else _text(images), nl=False)
    others = [name for name, image in images.items() if expect_id not in (None, image.id)]
    for name in others:
        said = "the image without the driver" if images[name].base_id == expect_id else "another image"
        typer.echo(f"{'/'.join(name)}: {expect_id} is {said}", err=True)
    if others:
        raise typer.Exit(ExitCode.FINDINGS)


def _known(what: str, name: str | None, names: list[str]) -> None:
    if name is not None and name not in names:
        message = f"there is no {what} {name}"
        raise InputError(Diagnostic(_NO_IMAGE, message, help=f"there are: {', '.join(dict.fromkeys(names))}"))


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
