"""An environment as a self-contained SVG that follows the reader's light or dark theme.

Columns from left to right: nodes, their cards, the slices, and who holds them. Text is escaped, nothing is loaded from
elsewhere, and the layout depends on the model alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape

from compiler.model.advertised import advertised
from compiler.model.environment import Environment
from compiler.model.overlay import NodePool, NoSharing
from compiler.model.stack import GPU_PRESENT
from compiler.runbook.graph import places, workloads_of

_STYLE = """\
.page{fill:#ffffff}.box{fill:#f6f8fa;stroke:#d0d7de}.slice{fill:#ddf4ff;stroke:#54aeff}.held{fill:#dafbe1;stroke:#4ac26b}
.pool{fill:none;stroke:#8c959f;stroke-dasharray:4 3}.line{stroke:#8c959f;fill:none}
text{font:13px system-ui,sans-serif;fill:#1f2328}.small{font-size:11px;fill:#57606a}.head{font-weight:600}
@media (prefers-color-scheme:dark){.page{fill:#0d1117}.box{fill:#161b22;stroke:#30363d}
.slice{fill:#0c2d6b;stroke:#388bfd}.held{fill:#033a16;stroke:#2ea043}text{fill:#e6edf3}.small{fill:#8b949e}}"""
_ROW, _GAP, _MARGIN = 34, 10, 24
_COLUMNS = {"node": (24, 220), "card": (274, 250), "slice": (554, 170), "workload": (754, 220)}
_WIDTH = 998
_CHAIN_Y, _ARROW = 38, 30
_MAX_SLICES = 32


@dataclass
class _Drawing:
    parts: list[str] = field(default_factory=list)
    y: int = _CHAIN_Y + _ROW + 48

    def box(self, column: str, top: int, lines: list[str], css: str = "box", height: int = _ROW) -> int:
        """Draw a box and return the y of its middle."""
        x, width = _COLUMNS[column]
        self.parts.append(f'<rect class="{css}" x="{x}" y="{top}" width="{width}" height="{height}" rx="6"/>')
        for number, line in enumerate(lines):
            css_text = "" if number == 0 else ' class="small"'
            y = top + height // 2 + 5 - 7 * (len(lines) - 1) + 15 * number
            self.parts.append(f'<text{css_text} x="{x + 10}" y="{y}">{escape(_short(line, width))}</text>')
        return top + height // 2

    def line(self, start: str, y1: int, end: str, y2: int) -> None:
        """Draw a line from the right of one column to the left of another."""
        x1 = sum(_COLUMNS[start])
        x2 = _COLUMNS[end][0]
        middle = (x1 + x2) // 2
        self.parts.append(f'<path class="line" d="M{x1} {y1} C{middle} {y1} {middle} {y2} {x2} {y2}"/>')


def svg(environment: Environment) -> str:
    """Return the picture as SVG text."""
    drawing = _Drawing()
    _draw_chain(drawing, environment)
    for column, title in zip(_COLUMNS, ("nodes", "cards", "slices", "workloads"), strict=True):
        drawing.parts.append(f'<text class="head" x="{_COLUMNS[column][0]}" y="{drawing.y - 12}">{title}</text>')
    for pool in environment.overlay.node_pools:
        _draw_pool(drawing, environment, pool)
    height = drawing.y + _MARGIN
    title = f"GPUs of {environment.name}, cluster {environment.overlay.cluster}"
    body = "\n".join(drawing.parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        f'role="img" aria-label="{escape(title, quote=True)}">\n<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n'
        f'<rect class="page" width="{_WIDTH}" height="{height}"/>\n'
        f'<text class="head" x="{_MARGIN}" y="22">{escape(title)}</text>\n{body}\n</svg>\n'
    )


def _draw_chain(drawing: _Drawing, environment: Environment) -> None:
    """Draw how the label comes to a node, and what selects it."""
    stack = environment.stack
    selecting = ["device plugin"]
    selecting += ["GPU Feature Discovery"] if stack.gpu_feature_discovery.enabled else []
    selecting += ["DCGM exporter"] if stack.has_dcgm_exporter else []
    steps = [("PCI vendor 10de", 130), ("NFD worker", 110), (f"{GPU_PRESENT}=true", 220), (", ".join(selecting), 400)]
    x = _MARGIN
    for index, (text, width) in enumerate(steps):
        if index:
            y = _CHAIN_Y + _ROW // 2
            drawing.parts.append(f'<path class="line" d="M{x} {y} h{_ARROW} m-6 -4 l6 4 l-6 4"/>')
            x += _ARROW
        drawing.parts.append(f'<rect class="box" x="{x}" y="{_CHAIN_Y}" width="{width}" height="{_ROW}" rx="6"/>')
        drawing.parts.append(f'<text x="{x + 10}" y="{_CHAIN_Y + 22}">{escape(_short(text, width))}</text>')
        x += width


def _draw_pool(drawing: _Drawing, environment: Environment, pool: NodePool) -> None:
    top = drawing.y + 30
    holders = list(_holders(environment, pool))
    names = _slice_names(pool)
    rows = max(len(places(pool)), len(holders), len(names), 1)
    height = rows * (_ROW + _GAP) - _GAP
    taints = ", ".join(f"{taint.key}={taint.value}:{taint.effect}" for taint in pool.taints)
    caption = f"node pool {pool.name}" + (f", taint {taints}" if taints else "")
    drawing.parts.append(
        f'<rect class="pool" x="10" y="{top - 26}" width="{_WIDTH - 20}" height="{height + 40}" rx="8"/>'
        f'<text class="small" x="{_MARGIN}" y="{top - 9}">{escape(caption)}</text>'
    )
    memory = f", {pool.gpu.memory} of VRAM each" if pool.gpu.memory else ""
    cards = f"{pool.gpu.count} a node{memory}"
    card_y = drawing.box("card", top, [pool.gpu.product or "NVIDIA GPU", cards], height=_ROW + 12)
    for index, place in enumerate(places(pool)):
        y = drawing.box("node", top + index * (_ROW + _GAP), [place])
        drawing.line("node", y, "card", card_y)
    for index, name in enumerate(names):
        held = index < len(holders)
        y = drawing.box("slice", top + index * (_ROW + _GAP), [name], "held" if held else "slice")
        drawing.line("card", card_y, "slice", y)
    for index, holder in enumerate(holders):
        y = drawing.box("workload", top + index * (_ROW + _GAP), holder, "box")
        if index < len(names):
            drawing.line("slice", y, "workload", y)
    drawing.y = top + height + 22


def _slice_names(pool: NodePool) -> list[str]:
    """Return a name for each slice of one node, the surplus of a long list folded into the last."""
    count = advertised(pool) or {}
    word = "card" if isinstance(pool.sharing, NoSharing) else "slice"
    names = [
        f"{name.removeprefix('nvidia.com/')} {word} {number}"
        for name, amount in sorted(count.items())
        for number in range(1, amount + 1)
    ]
    if len(names) > _MAX_SLICES:
        return [*names[: _MAX_SLICES - 1], f"and {len(names) - _MAX_SLICES + 1} more"]
    return names


def _holders(environment: Environment, pool: NodePool) -> Iterator[list[str]]:
    """Yield the workloads of a pool, one entry a slice that they take."""
    for workload in workloads_of(environment, pool):
        for number in range(workload.slices):
            need = f"needs {workload.vram}" if workload.vram and number == 0 else ""
            yield [f"{workload.namespace}/{workload.name}", *([need] if need else [])]


def _short(text: str, width: int) -> str:
    """Cut a text to what fits into a box, at about seven pixels a character."""
    room = (width - 20) // 7
    return text if len(text) <= room else text[: room - 1] + "…"
