"""`gpuc explain`: why a rule exists, and where a line of out/ comes from."""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer

from compiler.cli.output import RootOption
from compiler.cli.render import excerpt, safe
from compiler.errors import ExitCode
from compiler.model.describe import suggest
from compiler.objects import Json
from compiler.pages import find_page, nearest, pages
from compiler.write.paths import MANIFEST

_LONGEST = 400


def command(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[CODE | PATH[:FIELD]]",
            help="Code or name of a rule, such as GPU203 or taint-coverage; or a line of out/, such as "
            "out/flux/worker4/kustomization-gpu-stack.yaml:spec.interval, or FILE:LINE.",
        ),
    ] = None,
    root: RootOption = Path(),
) -> None:
    """Print a rule's page; where a line of out/ comes from, and why; or without an argument the list of all codes."""
    if what is None:
        width = max(len(item.name) for item in pages())
        for item in pages():
            typer.echo(f"{item.code}  {item.name:{width}}  {item.severity or '-':7}  {item.title}")
        return
    if "/" in what or what.partition(":")[0].endswith((".yaml", ".md", ".json")):
        _field(what, root)
        return
    page = find_page(what)
    if page is not None:
        typer.echo(page.text(), nl=False)
        return
    meant = nearest(what)
    cure = f"did you mean {meant.code} ({meant.name})?" if meant else "`gpuc explain` lists them"
    shown = "".join(char if char.isprintable() else "?" for char in what)
    typer.echo(f"there is no code and no rule `{shown}`: {cure}", err=True)
    raise typer.Exit(ExitCode.USAGE)


def _field(what: str, root: Path) -> None:
    # Compiling takes far longer to import than a page takes to print.
    from compiler.explain.answer import Answer, answer  # noqa: PLC0415
    from compiler.explain.fields import split_argument  # noqa: PLC0415
    from compiler.pipeline import build  # noqa: PLC0415

    given, wanted = split_argument(what)
    built = build(root)
    path = _below_out(given, root, built.files.keys())
    if path is None:
        if given.endswith(f"out/{MANIFEST}"):
            typer.echo("out/.gpuc.json is the list of files that gpuc wrote and may remove; nothing else reads it")
            return
        meant = suggest(given.removeprefix("out/"), list(built.files))
        cure = f"did you mean out/{meant}?" if meant else "`gpuc compile` lists what changed; out/ holds the files"
        typer.echo(f"gpuc does not compile {safe(given)}: {safe(cure)}", err=True)
        raise typer.Exit(ExitCode.USAGE)
    found: Answer | None = answer(built, path, wanted)
    if found is None:
        typer.echo(f"out/{path} has no field and no line `{safe(wanted)}`", err=True)
        raise typer.Exit(ExitCode.USAGE)
    file = root / "out" / path
    if not file.is_file() or file.read_bytes() != built.files[path].encode():
        typer.echo(f"out/{path} is not what the inputs compile to now: run `gpuc compile`", err=True)
    typer.echo(f"{found.path}:{found.field.line}  {safe(found.spelled)}")
    if found.field.value is not None:
        typer.echo(f"value: {safe(_short(found.field.value))}")
    if found.default is None:
        typer.echo(f"from: {safe(found.setting)}")
    else:
        typer.echo(f"default: nobody set {safe(found.setting)} ({safe(found.default)})")
        typer.echo("nearest input:")
    gutter = len(str(found.place.line))
    for line in excerpt(found.place, "-->", gutter):
        typer.echo(line)
    typer.echo(f"why: {safe(found.why)}")
    if found.source:
        typer.echo(f"source: {found.source}")
    if found.made_by:
        typer.echo(f"made by: {safe(found.made_by)}")


def _below_out(given: str, root: Path, known: Collection[str]) -> str | None:
    """Return a path relative to out/: as seen from here or from the root, or already below out/; None for no file."""
    if "\0" in given:
        return None
    candidates = [PurePosixPath(given).as_posix().removeprefix("out/")]
    for start in (Path.cwd(), root):
        absolute = Path(os.path.normpath(start / given))
        if absolute.is_relative_to(root / "out"):
            candidates.insert(0, absolute.relative_to(root / "out").as_posix())
    return next((path for path in candidates if path in known), None)


def _short(value: Json) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"
