"""`gpuc explain`: why a rule exists, and what to do about what it finds."""

from __future__ import annotations

from typing import Annotated

import typer

from compiler.errors import ExitCode
from compiler.pages import find_page, nearest, pages


def command(
    what: Annotated[
        str | None,
        typer.Argument(metavar="[CODE]", help="Code or name of a rule, such as GPU203 or taint-coverage."),
    ] = None,
) -> None:
    """Print a rule's page, or without an argument the list of all codes."""
    if what is None:
        width = max(len(item.name) for item in pages())
        for item in pages():
            typer.echo(f"{item.code}  {item.name:{width}}  {item.severity or '-':7}  {item.title}")
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
