"""An environment as a Mermaid diagram: pools, nodes, cards, slices, who holds them, and how labels flow."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compiler.model.advertised import advertised
from compiler.model.environment import Environment
from compiler.model.kube import Taint
from compiler.model.overlay import NodePool, Workload

_MAX_NODES = 12


def mermaid(environment: Environment) -> str:
    """Return a Mermaid flowchart."""
    return "\n".join(["flowchart LR", *_chain(environment), *_pools(environment)]) + "\n"


def workloads_of(environment: Environment, pool: NodePool) -> list[Workload]:
    """Return the workloads that are declared for a pool."""
    return [item for item in environment.overlay.workloads if item.pool in (None, pool.name)]


def slices(pool: NodePool) -> str:
    """Return what each node of a pool advertises, as people say it."""
    count = advertised(pool)
    if count is None:
        return "as MIG instances"
    return ", ".join(f"{name}: {amount}" for name, amount in sorted(count.items()))


def card(pool: NodePool) -> str:
    """Return the cards of a node of the pool: `1 x NVIDIA GeForce RTX 5070 Ti, 16Gi`."""
    memory = f", {pool.gpu.memory}" if pool.gpu.memory else ""
    return f"{pool.gpu.count} x {pool.gpu.product or 'NVIDIA GPU'}{memory}"


def places(pool: NodePool) -> list[str]:
    """Return the nodes of a pool, by name, or the labels that select them."""
    if pool.nodes:
        return [f"{node.name} ({node.address})" if node.address else node.name for node in pool.nodes]
    return [", ".join(f"{key}={value}" for key, value in sorted(pool.node_selector.items()))]


def folded(names: list[str], most: int) -> list[str]:
    """Return names, the surplus of a long list counted in the last."""
    return names if len(names) <= most else [*names[: most - 1], f"and {len(names) - most + 1} more"]


def taint_text(taint: Taint) -> str:
    """Return a taint as kubectl writes it."""
    return f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}"


def _chain(environment: Environment) -> Iterator[str]:
    """Yield how the label comes to the node, and what selects it."""
    stack = environment.stack
    yield '    nfd["NFD worker"] -- "PCI vendor 10de" --> label["nvidia.com/gpu.present=true"]'
    yield '    label --> plugin["device plugin"]'
    if stack.gpu_feature_discovery.enabled:
        yield '    label --> gfd["GPU Feature Discovery"]'
    if stack.has_dcgm_exporter:
        yield '    label --> dcgm["DCGM exporter"]'


def _pools(environment: Environment) -> Iterator[str]:
    for number, pool in enumerate(environment.overlay.node_pools):
        yield f'    subgraph pool{number}["node pool {_text(pool.name)}"]'
        shown = folded(places(pool), _MAX_NODES)
        yield f'        nodes{number}["{"<br/>".join(map(_text, shown))}"]'
        yield f'        cards{number}["{_text(card(pool))}"]'
        yield f'        slices{number}["{_text(slices(pool))}"]'
        yield f"        nodes{number} --- cards{number} --- slices{number}"
        yield "    end"
        yield f"    plugin -- advertises --> slices{number}"
        for index, item in enumerate(workloads_of(environment, pool)):
            need = f"<br/>{_text(item.vram)}" if item.vram else ""
            yield f'    slices{number} --> w{number}x{index}["{_text(item.namespace)}/{_text(item.name)}{need}"]'


def _text(text: str) -> str:
    """Escape a text for a quoted Mermaid label."""
    return re.sub(r'["<>&#]', lambda match: f"#{ord(match[0])};", text)
