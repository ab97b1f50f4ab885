"""`gpuc doctor`: is every link of the chain there, and which is the first that is not."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from compiler.cli.output import RootOption
from compiler.cli.render import safe
from compiler.diagnostics import Diagnostic
from compiler.doctor import (
    Case,
    Kubectl,
    as_json,
    as_text,
    commands_to_save,
    diagnose,
    expected,
    read_cluster,
    read_folder,
)
from compiler.errors import EnvironmentFailure, ExitCode
from compiler.model.environment import Environment
from compiler.pipeline import build
from compiler.tools.on_path import candidates

NO_KUBECTL = "GPU911"
_COLOURS = {"  ok ": "green", "  BROKEN ": "red", "  unknown ": "yellow"}


class DoctorFormat(StrEnum):
    """How a report is printed."""

    TEXT = "text"
    JSON = "json"


def command(  # noqa: PLR0913, PLR0917 -- one parameter an option
    root: RootOption = Path(),
    overlay: Annotated[
        str | None, typer.Option("--overlay", help="Overlay that the cluster is held against; needed with several.")
    ] = None,
    context: Annotated[str | None, typer.Option("--context", help="Context of the kubeconfig.")] = None,
    kubeconfig: Annotated[
        Path | None,
        typer.Option("--kubeconfig", help="Kubeconfig to use.", exists=True, dir_okay=False, resolve_path=True),
    ] = None,
    saved: Annotated[
        Path | None,
        typer.Option(
            "--from", help="Read saved answers of kubectl instead of asking a cluster.", exists=True, file_okay=False
        ),
    ] = None,
    what_to_save: Annotated[  # noqa: FBT002 -- a flag
        bool, typer.Option("--what-to-save", help="Print the commands that make a folder for --from, and stop.")
    ] = False,
    format: Annotated[DoctorFormat, typer.Option("--format", help="text or json.")] = DoctorFormat.TEXT,  # noqa: A002
) -> None:
    """Say which link between commit and GPU is broken, why, and what to type next. Changes nothing, reads no Secret.

    Exit code 0 when the whole chain holds, 1 when not, 5 when there is no kubectl or no answer.
    """
    if saved and (context or kubeconfig):
        raise typer.BadParameter("a folder has neither context nor kubeconfig", param_hint="--from")
    built = build(root)
    environment = _environment(built.project.environments, overlay)
    options = (
        *((f"--kubeconfig={kubeconfig}",) if kubeconfig else ()),
        *((f"--context={context}",) if context else ()),
    )
    words = ("kubectl", *options)
    if what_to_save:
        typer.echo(commands_to_save(environment, words), nl=False)
        return
    if saved:
        seen = read_folder(environment, saved)
        if not seen.objects:
            why = "; ".join(seen.notes) or "nothing in it is what kubectl prints with -o json"
            raise typer.BadParameter(safe(f"{saved}: {why}; try --what-to-save"), param_hint="--from")
    else:
        origin = (
            f"context {context}" if context else f"kubeconfig {kubeconfig}" if kubeconfig else "the current context"
        )
        seen = read_cluster(environment, Kubectl(_kubectl(root), options), origin)
    report = diagnose(Case(expected(environment, built.tree), seen, words))
    if format is DoctorFormat.JSON:
        typer.echo(as_json(report), nl=False)
    else:
        typer.echo(_coloured(safe(as_text(report))), nl=False)
    if not report.holds:
        raise typer.Exit(ExitCode.FINDINGS)


def _environment(environments: tuple[Environment, ...], wanted: str | None) -> Environment:
    names = {environment.name: environment for environment in environments}
    if wanted is None and len(names) == 1:
        return environments[0]
    if wanted not in names:
        said = f"there is no overlay {wanted}" if wanted else "there are several overlays"
        raise typer.BadParameter(f"{said}; choose one of {', '.join(sorted(names))}", param_hint="--overlay")
    return names[wanted]


def _coloured(text: str) -> str:
    """Colour the word that begins a line of the chain, where somebody looks at a terminal.

    Only doctor itself begins lines: what comes from a cluster is kept within one.
    """
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ:
        return text
    lines = text.split("\n")
    for index, line in enumerate(lines):
        for word, colour in _COLOURS.items():
            if line.startswith(word):
                lines[index] = typer.style(word, fg=colour) + line[len(word) :]
    return "\n".join(lines)


def _kubectl(root: Path) -> Path:
    found = next(candidates("kubectl", root), None)
    if found is None:
        raise EnvironmentFailure(
            Diagnostic(
                NO_KUBECTL,
                "there is no kubectl on PATH, outside of the repository",
                help="install it, or read a folder with --from: `gpuc doctor --what-to-save` prints how to make one",
            )
        )
    return found
