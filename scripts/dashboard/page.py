"""The page that describes the dashboard: every panel, every metric, every recorded series."""

from __future__ import annotations

from collections.abc import Sequence

from compiler.monitoring.fields import BASIC, PROFILING, Field
from compiler.monitoring.recording import CARDS_COMPILED, SERIES, SLICES_COMPILED
from scripts.dashboard.panels import ROWS, Panel

_KINDS = {"stat": "number", "timeseries": "graph", "table": "table", "bargauge": "bars"}

_METRICS = (
    "What the exporter publishes, under the names of DCGM's fields. A card that cannot give a field leaves it out, and "
    "the dashboard's last table says so. `per pod` marks what is true for each pod of a shared card; all the rest "
    "belongs to the card, and is repeated for each of its pods."
)
_COMPILED = (
    f"`{CARDS_COMPILED}` and `{SLICES_COMPILED}` say what each node should have: they are compiled from the overlay."
)


def page() -> str:
    """Return the page as Markdown."""
    parts = [
        "# The dashboard, panel by panel",
        "<!-- Made by `make dashboard`. -->",
        "How to switch it on, and how to load it: [monitoring.md](monitoring.md).",
        "![Where the panels are; a sketch, without data](dashboard.svg)",
        *(part for title, panels in ROWS for part in _row(title, panels)),
        "## Metrics",
        _METRICS,
        _fields(BASIC),
        "With `dcgmExporter.profiling: true`, on pools that are not GeForce:",
        _fields(PROFILING),
        "## Recorded series",
        "Recorded by the rules, each card and each pod once. Use these in dashboards and alerts of your own.",
        _table(("series", "what it is"), [(f"`{item.name}`", item.help) for item in SERIES]),
        _COMPILED,
    ]
    return "\n\n".join(parts) + "\n"


def _row(title: str, panels: tuple[Panel, ...]) -> list[str]:
    rows = [(panel.title, _KINDS[panel.kind], panel.description, panel.no_data) for panel in panels]
    return [f"## {title}", _table(("panel", "is a", "shows", "where there is nothing to show it says"), rows)]


def _fields(fields: tuple[Field, ...]) -> str:
    rows = [
        (f"`{field.name}`", field.help, field.unit, field.cards, "per pod" if field.per_pod else "") for field in fields
    ]
    return _table(("metric", "what it is", "unit", "which cards give it", ""), rows)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
