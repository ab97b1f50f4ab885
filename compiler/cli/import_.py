"""`gpuc import`: from Helm values, HelmReleases and Applications to a stack and an overlay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from compiler.check.configkeys import spelled
from compiler.cli.output import RootOption, report
from compiler.cli.render import Format, place_as_data, safe
from compiler.cli.starting import (
    ArgoOption,
    ClusterOption,
    CountOption,
    FluxOption,
    KubernetesOption,
    MemoryOption,
    MonitoringOption,
    NameOption,
    NamespaceOption,
    NodeOption,
    OsVersionOption,
    PrintOption,
    ProductOption,
    TaintOption,
    chosen_nodes,
    chosen_taints,
    one_delivery,
    show_draft,
    write_draft,
)
from compiler.errors import ExitCode, InputError
from compiler.importer import Entry, Outcome, Report, import_files
from compiler.lint.charts import NAMES
from compiler.lint.files import MAX_FILE, gather
from compiler.load import Document
from compiler.objects import Obj
from compiler.starter.choices import Choices
from compiler.starter.draft import Which

_CURE = "`gpuc import --print` shows what would be written; move the file away to have it written"
_LONGEST = 300
_TITLES = {
    Outcome.WRONG: "Wrong as written: it does not do what it says, so it was not carried over",
    Outcome.QUESTION: "Needs an answer",
    Outcome.UNEXPRESSED: "Could not be expressed",
    Outcome.TRANSLATED: "Translated",
    Outcome.DEFAULT: "As gpuc does it anyway: nothing had to be written",
}


def command(  # noqa: PLR0913 -- each is an option of its own
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Values, HelmReleases, Applications; - is standard input.")
    ],
    root: RootOption = Path(),
    *,
    chart: Annotated[
        str | None, typer.Option("--chart", help=f"Chart of values that do not tell theirs: {', '.join(NAMES)}.")
    ] = None,
    name: NameOption = None,
    cluster: ClusterOption = None,
    namespace: NamespaceOption = None,
    node: NodeOption = None,
    taint: TaintOption = None,
    product: ProductOption = None,
    memory: MemoryOption = None,
    count: CountOption = None,
    os: Annotated[
        Literal["talos", "generic"] | None, typer.Option("--os", help="Operating system of the nodes.")
    ] = None,
    os_version: OsVersionOption = None,
    kubernetes: KubernetesOption = None,
    monitoring: MonitoringOption = None,
    flux: FluxOption = None,
    argocd: ArgoOption = None,
    print_only: PrintOption = False,
    force: Annotated[
        bool, typer.Option("--force", help="Write although something is wrong as written or needs an answer.")
    ] = False,
    format: Annotated[Literal["text", "json"], typer.Option("--format", help="Form of the report.")] = "text",  # noqa: A002
) -> None:
    """Write base/stack.yaml and an overlay from values of the device plugin, NFD and DCGM exporter.

    Every value is in the report. Exit 1, and nothing is written without --force, where one is wrong as written or
    needs an answer.
    """
    if chart is not None and chart not in NAMES:
        raise typer.BadParameter(f"must be one of {', '.join(NAMES)}", param_hint="--chart")
    one_delivery(flux, argocd)
    choices = Choices(
        name,
        cluster,
        namespace,
        chosen_nodes(node),
        chosen_taints(taint),
        product,
        memory,
        count,
        None,
        os,
        os_version,
        kubernetes,
        monitoring,
        flux,
        argocd,
    )
    found = gather(files, Path.cwd(), typer.get_binary_stream("stdin").read(MAX_FILE + 1) if "-" in files else None)
    if found.problems:
        raise InputError(found.problems)
    result = import_files(found.files, choices, chart)
    findings = result.draft.findings()
    bad = result.open or any(item.is_error for item in findings)
    if format == "json":
        typer.echo(json.dumps(_as_data(result), indent=2))
    else:
        typer.echo(_text(result), nl=False)
    report(findings, Format.TEXT)
    if print_only:
        typer.echo()
        show_draft(result.draft)
    elif not bad or force:
        written = write_draft(result.draft, root, _CURE)
        if format == "text":
            typer.echo(f"\nwritten: {', '.join(written)}")
            typer.echo("next: `gpuc check` says what would fail, `gpuc compile` writes out/")
    else:
        cure = "mend or answer what is listed first, or write what there is with --force"
        typer.echo(f"nothing was written: {cure}", err=True)
    if bad:
        raise typer.Exit(ExitCode.FINDINGS)


def _text(result: Report) -> str:
    """Return the report for people: what needs them first."""
    documents = result.draft.documents()
    lines: list[str] = []
    for outcome, title in _TITLES.items():
        entries = result.of(outcome)
        if not entries:
            continue
        lines += ["", f"{title} ({len(entries)})"] if lines else [f"{title} ({len(entries)})"]
        for entry in entries:
            lines += _lines(entry, documents)
    counts = ", ".join(f"{len(result.of(one))} {one}" for one in Outcome if result.of(one))
    lines += ["", f"{len(result.entries)} values: {counts}"]
    return "".join(f"{safe(line)}\n" for line in lines)


def _lines(entry: Entry, documents: dict[Which, Document]) -> list[str]:
    lines = [f"  {entry.place}  {called(entry)}{_value(entry)}"]
    for which, route in entry.targets:
        document = documents[which]
        place = document.place(route, key=True)
        lines.append(f"      -> {document.path}:{place.line} {spelled(document.resolve(route))}")
    if entry.why:
        lines.append(f"      {entry.why}")
    if entry.help:
        lines.append(f"      help: {entry.help}")
    return lines


def called(entry: Entry) -> str:
    """Return how the report calls an entry's value."""
    return spelled(entry.route) or entry.label


def _value(entry: Entry) -> str:
    if entry.value is None and not entry.route:
        return ""
    text = json.dumps(entry.value, ensure_ascii=False, default=str)
    return f": {text}" if len(text) <= _LONGEST else f": {text[:_LONGEST]}... ({len(text)} characters)"


def _as_data(result: Report) -> Obj:
    documents = result.draft.documents()
    return {
        "files": result.draft.files(),
        "entries": [
            {
                "source": entry.source,
                "name": called(entry),
                "value": entry.value,
                "place": place_as_data(entry.place),
                "outcome": entry.outcome.name.lower(),
                "why": entry.why,
                "help": entry.help,
                "targets": [
                    {
                        "path": documents[which].path,
                        "line": documents[which].place(route, key=True).line,
                        "field": spelled(documents[which].resolve(route)),
                    }
                    for which, route in entry.targets
                ],
            }
            for outcome in Outcome
            for entry in result.of(outcome)
        ],
    }
