"""A sketch of the dashboard as SVG, from the places of its panels."""

from __future__ import annotations

import json
from html import escape

from scripts.dashboard.build import build

_X, _Y, _GAP = 40, 16, 3
_COLOURS = {"stat": "#dff0d8", "timeseries": "#dbe9f6", "table": "#f3f0e2", "bargauge": "#efe3f4"}


def picture() -> str:
    """Return the sketch."""
    panels = json.loads(build())["panels"]
    bottom = max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in panels)
    width, height = 24 * _X, bottom * _Y + 30
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        '<text x="6" y="20" font-size="13" fill="#555555">Sketch of the layout, without data</text>',
        *(line for panel in panels for line in _drawn(panel)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _drawn(panel: dict[str, object]) -> list[str]:
    place = panel["gridPos"]
    assert isinstance(place, dict)  # noqa: S101 -- for the type checker
    x, y = place["x"] * _X, place["y"] * _Y + 30
    wide, high = place["w"] * _X, place["h"] * _Y
    title = escape(str(panel["title"]))
    if panel["type"] == "row":
        return [f'<text x="{x + 6}" y="{y + 12}" font-size="13" font-weight="bold">{title}</text>']
    fill = _COLOURS[str(panel["type"])]
    return [
        (
            f'<rect x="{x + _GAP}" y="{y + _GAP}" width="{wide - 2 * _GAP}" height="{high - 2 * _GAP}" rx="3" '
            f'fill="{fill}" stroke="#999999"/>'
        ),
        f'<text x="{x + 10}" y="{y + 20}" font-size="12">{title}</text>',
    ]
