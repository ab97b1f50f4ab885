"""`gpuc init`: a first stack and overlay that compile, from flags or from what the cluster's nodes tell."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from compiler.cli.output import RootOption, report
from compiler.cli.render import Format
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
from compiler.errors import InputError
from compiler.lint.files import MAX_FILE, gather
from compiler.starter.choices import Choices
from compiler.starter.first import first_inputs
from compiler.starter.nodes import Nodes, read_nodes

_CURE = "to describe one more cluster, copy an overlay's folder; `gpuc init --print` shows what would be written"


def command(  # noqa: PLR0913 -- each is an option of its own
    root: RootOption = Path(),
    *,
    name: NameOption = None,
    cluster: ClusterOption = None,
    namespace: NamespaceOption = None,
    node: NodeOption = None,
    nodes: Annotated[
        str | None,
        typer.Option("--nodes", metavar="FILE", help="Output of `kubectl get nodes -o json`; - is standard input."),
    ] = None,
    taint: TaintOption = None,
    product: ProductOption = None,
    memory: MemoryOption = None,
    count: CountOption = None,
    replicas: Annotated[
        int | None, typer.Option("--replicas", min=1, max=1024, help="Pods that share a card by time-slicing.")
    ] = None,
    os: Annotated[
        Literal["talos", "generic"] | None, typer.Option("--os", help="Operating system of the nodes.")
    ] = None,
    os_version: OsVersionOption = None,
    kubernetes: KubernetesOption = None,
    monitoring: MonitoringOption = None,
    flux: FluxOption = None,
    argocd: ArgoOption = None,
    print_only: PrintOption = False,
) -> None:
    """Write base/stack.yaml and overlays/NAME/overlay.yaml; nothing is asked, and nothing is overwritten."""
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
        replicas,
        os or ("talos" if os_version else None),
        os_version,
        kubernetes,
        monitoring,
        flux,
        argocd,
    )
    found = _read_nodes(nodes)
    if found and choices.nodes:
        raise typer.BadParameter("name the nodes with --node or let --nodes find them", param_hint="--nodes")
    draft = first_inputs(choices, found)
    findings = draft.findings()
    if any(item.is_error for item in findings):
        raise InputError(findings)
    if print_only:
        show_draft(draft)
        return
    written = write_draft(draft, root, _CURE)
    report(findings, Format.TEXT)
    for gpu_node, reason in (found.why if found else {}).items():
        typer.echo(f"found {gpu_node}: {reason}")
    typer.echo(f"written: {', '.join(written)}")
    typer.echo("next: `gpuc check` says what would fail, `gpuc compile` writes out/")


def _read_nodes(path: str | None) -> Nodes | None:
    if path is None:
        return None
    stdin = typer.get_binary_stream("stdin").read(MAX_FILE + 1) if path == "-" else None
    found = gather([path], Path.cwd(), stdin)
    if found.problems or len(found.files) != 1:
        if found.problems:
            raise InputError(found.problems)
        raise typer.BadParameter(f"{path} is not one file", param_hint="--nodes")
    return read_nodes(found.files[0].text, found.files[0].name)
