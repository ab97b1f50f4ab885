"""What `gpuc init` and `gpuc import` have in common: options, and how inputs are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from compiler.cli.render import safe
from compiler.inputschema import schemas
from compiler.model.kube import Taint
from compiler.starter.choices import NodeChoice, node, taint
from compiler.starter.draft import Draft
from compiler.starter.files import refuse_existing, write_new

T = TypeVar("T")

NameOption = Annotated[
    str | None, typer.Option("--name", help="Overlay and node pool: a DNS label such as worker4. [default: gpu]")
]
ClusterOption = Annotated[str | None, typer.Option("--cluster", help="Name of the cluster. [default: the overlay's]")]
NamespaceOption = Annotated[
    str | None, typer.Option("--namespace", help="Namespace of the stack. [default: gpu-system]")
]
NodeOption = Annotated[
    list[str] | None, typer.Option("--node", metavar="[POOL=]NAME[:ADDRESS]", help="A GPU node; may be repeated.")
]
TaintOption = Annotated[
    list[str] | None, typer.Option("--taint", metavar="KEY=VALUE:EFFECT", help="A taint of the nodes; may be repeated.")
]
ProductOption = Annotated[
    str | None, typer.Option("--product", help="Product name of the card, as nvidia-smi prints it.")
]
MemoryOption = Annotated[str | None, typer.Option("--memory", help="VRAM of one card, such as 16Gi.")]
CountOption = Annotated[int | None, typer.Option("--count", min=1, max=64, help="Cards in each node.")]
OsVersionOption = Annotated[str | None, typer.Option("--os-version", help="Talos release, such as v1.13.3.")]
KubernetesOption = Annotated[str | None, typer.Option("--kubernetes", help="Minor version, such as 1.34.")]
MonitoringOption = Annotated[
    bool | None, typer.Option("--monitoring/--no-monitoring", help="Exporter, dashboard and alerts, or nothing of it.")
]
FluxOption = Annotated[str | None, typer.Option("--flux", metavar="URL", help="Deliver by Flux from this repository.")]
ArgoOption = Annotated[str | None, typer.Option("--argocd", metavar="URL", help="Deliver by Argo CD from it.")]
PrintOption = Annotated[bool, typer.Option("--print", help="Print both files and write nothing.")]


def chosen_nodes(given: Sequence[str] | None) -> tuple[NodeChoice, ...]:
    """Return the nodes of --node; a usage error where one is none."""
    return _each(node, given, "--node")


def chosen_taints(given: Sequence[str] | None) -> tuple[Taint, ...]:
    """Return the taints of --taint; a usage error where one is none."""
    return _each(taint, given, "--taint")


def _each(read: Callable[[str], T], given: Sequence[str] | None, option: str) -> tuple[T, ...]:
    try:
        return tuple(dict.fromkeys(read(text) for text in given or ()))
    except ValueError as error:
        raise typer.BadParameter(safe(str(error)), param_hint=option) from None


def one_delivery(flux: str | None, argocd: str | None) -> None:
    """End with a usage error where both deliver: each would undo what the other does."""
    if flux and argocd:
        raise typer.BadParameter("deliver by Flux or by Argo CD, not both: name one of the two", param_hint="--argocd")


def write_draft(draft: Draft, root: Path, cure: str) -> list[str]:
    """Write both inputs and the schemas that their first lines name; return the paths.

    Raises InputError where an input exists, EnvironmentFailure where nothing can be written.
    """
    files = draft.files()
    refuse_existing(root, files, cure)
    files |= {path: text for path, text in schemas().items() if not (root / path).exists()}
    write_new(root, files)
    return list(files)


def show_draft(draft: Draft) -> None:
    """Print both inputs, each below its path."""
    for number, (path, text) in enumerate(draft.files().items()):
        typer.echo(f"{'---' + chr(10) if number else ''}# {path}\n{safe(text)}", nl=False)
