"""`out/docs/<overlay>.md`: the page that an operator opens at night."""

from __future__ import annotations

import re

from compiler.model.environment import Environment
from compiler.model.overlay import NodePool, NoSharing, TimeSlicing
from compiler.model.scalars import mebibytes
from compiler.runbook.graph import card, mermaid, places, slices, workloads_of
from compiler.runbook.settings import settings
from compiler.runbook.troubleshooting import checks, troubleshooting


def page(environment: Environment) -> str:
    """Return the page of an environment as Markdown."""
    sections = [
        f"# GPUs of {environment.name}",
        "<!-- Compiled by gpuc from base/stack.yaml and the overlay. Edit those. -->",
        _overview(environment),
        "## Settings",
        _table(
            ["setting", "value", "why"], [[item.name, f"`{item.value}`", item.why] for item in settings(environment)]
        ),
        "## How it fits together",
        f"```mermaid\n{mermaid(environment)}```",
        *_workloads(environment),
        "## Is it well?",
        checks(environment),
        "## Troubleshooting",
        troubleshooting(environment),
    ]
    return "\n\n".join(sections) + "\n"


def _overview(environment: Environment) -> str:
    rows = [
        [pool.name, _text(", ".join(places(pool))), _text(card(pool)), f"`{slices(pool)}`"]
        for pool in environment.overlay.node_pools
    ]
    head = f"Cluster `{environment.overlay.cluster}`, namespace `{environment.stack.namespace_name}`."
    return head + "\n\n" + _table(["node pool", "nodes", "cards of each node", "each node advertises"], rows)


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _text(text: str) -> str:
    """Keep what people wrote, such as a product's name, from being read as Markdown or HTML."""
    return re.sub(r"[\\`*_<>&\[\]~#]", lambda match: f"&#{ord(match[0])};", text)


def _workloads(environment: Environment) -> list[str]:
    sections = []
    for pool in environment.overlay.node_pools:
        rows = [[f"{w.namespace}/{w.name}", str(w.slices), w.vram or ""] for w in workloads_of(environment, pool)]
        if rows:
            sections += [
                f"## Who uses {pool.name}",
                _table(["workload", "slices", "VRAM at its peak"], rows),
                _vram(pool, environment),
            ]
    return sections


def _vram(pool: NodePool, environment: Environment) -> str:
    """Say what sharing means for the card's memory."""
    device = "card" if pool.mig.strategy == "none" else "MIG instance"
    if isinstance(pool.sharing, NoSharing):
        return f"Each slice is a whole {device}, whose memory is its pod's alone."
    if not isinstance(pool.sharing, TimeSlicing):
        return f"Each pod has an equal part of the {device}'s memory, and no more: MPS refuses what goes beyond."
    asked = [mebibytes(w.vram) * w.slices for w in workloads_of(environment, pool) if w.vram]
    told = ""
    if asked and pool.gpu.memory and pool.mig.strategy == "none" and pool.gpu.count == 1:
        has = mebibytes(pool.gpu.memory)
        told = f" Together these ask for {sum(asked)} MiB of the card's {has} MiB, which {'fits' if sum(asked) <= has else 'does not fit'}."
    return (
        f"A slice is a share of the {device}'s time, not of its memory: every pod sees all of the VRAM, and whoever "
        f"allocates last runs out.{told} What does not fit together must take turns: stop one (`kubectl scale`), or have "
        "it unload its model."
    )
