"""An environment as a self-contained SVG that follows the reader's light or dark theme.

Columns from left to right: nodes, their cards, the slices, and who holds them. Text is escaped, nothing is loaded from
elsewhere, and the layout depends on the model alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from compiler.model.advertised import advertised
from compiler.model.environment import Environment
from compiler.model.overlay import NodePool, NoSharing
from compiler.model.stack import GPU_PRESENT
from compiler.runbook.graph import folded, places, taint_text, workloads_of

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
_MAX_ROWS = 16
_NARROW, _WIDE, _WIDEST = 7, 11, 14
"""Pixels that a character takes at 13 px, at most: most letters; capitals and the like; CJK and emoji."""


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
            self.parts.append(_text(line, width, f'{css_text} x="{x + 10}" y="{y}"'))
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
        + _text(title, _WIDTH - _MARGIN, f' class="head" x="{_MARGIN}" y="22"')
        + f"\n{body}\n</svg>\n"
    )


def _draw_chain(drawing: _Drawing, environment: Environment) -> None:
    """Draw how the label comes to a node, and what selects it."""
    stack = environment.stack
    selecting = ["device plugin"]
    selecting += ["GPU Feature Discovery"] if stack.gpu_feature_discovery.enabled else []
    selecting += ["DCGM exporter"] if stack.has_dcgm_exporter else []
    steps = [("PCI vendor 10de", 140), ("NFD worker", 100), (f"{GPU_PRESENT}=true", 220), (", ".join(selecting), 400)]
    x = _MARGIN
    for index, (text, width) in enumerate(steps):
        if index:
            y = _CHAIN_Y + _ROW // 2
            drawing.parts.append(f'<path class="line" d="M{x} {y} h{_ARROW} m-6 -4 l6 4 l-6 4"/>')
            x += _ARROW
        drawing.parts.append(f'<rect class="box" x="{x}" y="{_CHAIN_Y}" width="{width}" height="{_ROW}" rx="6"/>')
        drawing.parts.append(_text(text, width, f' x="{x + 10}" y="{_CHAIN_Y + 22}"'))
        x += width


def _draw_pool(drawing: _Drawing, environment: Environment, pool: NodePool) -> None:
    top = drawing.y + 30
    holders = _holders(environment, pool)
    names = _slice_names(pool)
    nodes = folded(places(pool), _MAX_ROWS)
    rows = max(len(nodes), len(holders), len(names), 1)
    height = rows * (_ROW + _GAP) - _GAP
    taints = ", ".join(map(taint_text, pool.taints))
    caption = f"node pool {pool.name}" + (f", taint {taints}" if taints else "")
    drawing.parts.append(
        f'<rect class="pool" x="10" y="{top - 26}" width="{_WIDTH - 20}" height="{height + 40}" rx="8"/>'
        + _text(caption, _WIDTH - _MARGIN, f' class="small" x="{_MARGIN}" y="{top - 9}"')
    )
    memory = f", {pool.gpu.memory} of VRAM each" if pool.gpu.memory else ""
    cards = f"{pool.gpu.count} a node{memory}"
    card_y = drawing.box("card", top, [pool.gpu.product or "NVIDIA GPU", cards], height=_ROW + 12)
    for index, place in enumerate(nodes):
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
    count = advertised(pool)
    if count is None:
        return ["MIG instances"]
    plain = " card" if pool.mig.strategy == "none" else ""
    word = plain if isinstance(pool.sharing, NoSharing) else " slice"
    names = [
        f"{name.removeprefix('nvidia.com/')}{word} {number}"
        for name, amount in sorted(count.items())
        for number in range(1, amount + 1)
    ]
    return folded(names, _MAX_ROWS)


def _holders(environment: Environment, pool: NodePool) -> list[list[str]]:
    """Return the lines of the workloads of a pool, one entry a slice that they take."""
    found = []
    for workload in workloads_of(environment, pool):
        for number in range(workload.slices):
            need = f", needs {workload.vram}" if workload.vram and number == 0 else ""
            found.append([workload.name, f"in {workload.namespace}{need}"])
    if len(found) > _MAX_ROWS:
        return [*found[: _MAX_ROWS - 1], [f"and {len(found) - _MAX_ROWS + 1} more slices"]]
    return found


def _text(text: str, width: int, attributes: str) -> str:
    """Return a text element; one that is too long for its box is cut, and whole in its tooltip."""
    short = _short(text, width - 20)
    tooltip = f"<title>{escape(text)}</title>" if short != text else ""
    return f"<text{attributes}>{escape(short)}{tooltip}</text>"


def _short(text: str, room: int) -> str:
    """Cut a text to so many pixels."""
    if sum(map(_pixels, text)) <= room:
        return text
    used, kept = _WIDE, ""
    for char in text:
        used += _pixels(char)
        if used > room:
            break
        kept += char
    return f"{kept}…"


def _pixels(char: str) -> int:
    if ord(char) >= 0x2E80:  # noqa: PLR2004 -- where CJK begins
        return _WIDEST
    return _WIDE if char in "mwMW@%" else 9 if char.isupper() else _NARROW
