"""`gpuc lint`: the rules over manifests, chart values and Talos patches that gpuc did not make."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from compiler.check.scene import NodeFacts
from compiler.cli.lintscreen import nothing, screen
from compiler.cli.output import FormatOption
from compiler.cli.render import Format, render
from compiler.errors import ExitCode
from compiler.lint.charts import NAMES
from compiler.lint.files import MAX_FILE, STDIN, gather
from compiler.lint.judge import Known, judge
from compiler.lint.nodes import BadArgumentError, node_argument, saved_nodes, talos_version
from compiler.lint.reading import read_text
from compiler.lint.sight import look

T = TypeVar("T")


def command(  # noqa: PLR0913 -- one an option
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Files and folders; - reads standard input.")],
    *,
    chart: Annotated[
        str | None, typer.Option("--chart", help=f"Values files are for this chart: {', '.join(NAMES)}.")
    ] = None,
    node: Annotated[
        list[str] | None,
        typer.Option("--node", help="A GPU node: NAME:TAINT,LABEL=VALUE; may be repeated."),
    ] = None,
    nodes: Annotated[
        str | None, typer.Option("--nodes", help="The cluster's nodes: a saved `kubectl get nodes -o json`.")
    ] = None,
    overlay: Annotated[str | None, typer.Option("--overlay", help="Take the node pools of this overlay.")] = None,
    root: Annotated[
        Path, typer.Option("--root", help="Where the overlay is.", file_okay=False, exists=True, resolve_path=True)
    ] = Path(),
    talos: Annotated[
        str | None, typer.Option("--talos", help="Nodes run this release of Talos, such as v1.13.3.")
    ] = None,
    complete: Annotated[
        bool, typer.Option("--complete", help="Nothing else is applied: what is missing here is an error.")
    ] = False,
    format: FormatOption = Format.TEXT,  # noqa: A002 -- the option's name
) -> None:
    """Say what would fail at run time in manifests and chart values that gpuc did not make."""
    if chart is not None and chart not in NAMES:
        raise typer.BadParameter(f"{chart} is none of {', '.join(NAMES)}", param_hint="--chart")
    release = _argument("--talos", partial(talos_version, talos)) if talos else None
    known = _known(node or [], nodes, (overlay, root), release, complete=complete)
    stdin = sys.stdin.buffer.read(MAX_FILE + 1) if STDIN in paths else None
    found = gather(paths, Path.cwd(), stdin)
    sight = look(found, chart, release)
    judgement = judge(sight, known)
    if format is not Format.TEXT:
        typer.echo(render(judgement.diagnostics, format), nl=False)
        for line in judgement.assumptions:
            typer.echo(f"assumed: {line}", err=True)
    elif sight.looked_at or judgement.diagnostics:
        typer.echo(screen(sight, judgement), nl=False)
    if not sight.looked_at and not judgement.diagnostics:
        typer.echo(nothing(sight), err=True)
        raise typer.Exit(ExitCode.NOTHING_TO_COMPILE)
    if any(item.is_error for item in judgement.diagnostics):
        raise typer.Exit(ExitCode.FINDINGS)


def _argument(name: str, read: Callable[[], T]) -> T:
    try:
        return read()
    except BadArgumentError as error:
        raise typer.BadParameter(str(error), param_hint=name) from None


def _known(
    given: Iterable[str],
    saved: str | None,
    overlay: tuple[str | None, Path],
    talos: tuple[int, int] | None,
    *,
    complete: bool,
) -> Known:
    """Return what the arguments say about the cluster."""
    pools = [_argument("--node", partial(node_argument, item, talos)) for item in given]
    assumptions = []
    if saved is not None:
        files = gather([saved], Path.cwd()).files
        seen, assumed = saved_nodes([doc for file in files for doc in read_text(file.text, file.name).documents], talos)
        if not seen:
            raise typer.BadParameter(f"{saved} holds no Node: save `kubectl get nodes -o json`", param_hint="--nodes")
        pools += seen
        assumptions += [assumed] if assumed else []
    if overlay[0] is not None:
        pools += _of_overlay(overlay[0], overlay[1])
    return Known(tuple(pools) or None, talos, complete, saved is not None, tuple(assumptions))


def _of_overlay(name: str, root: Path) -> list[NodeFacts]:
    from compiler.pipeline import read  # noqa: PLC0415 -- linting needs neither the components nor kustomize
    from compiler.scenes import pool_facts  # noqa: PLC0415

    environments = {environment.name: environment for environment in read(root).environments}
    if name not in environments:
        raise typer.BadParameter(f"there is no overlay {name}, only {', '.join(environments)}", param_hint="--overlay")
    found = environments[name]
    return [pool_facts(found, index) for index in range(len(found.overlay.node_pools))]
