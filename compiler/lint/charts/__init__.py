"""The charts whose values are judged: what each really reads, as data beside this module."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from compiler.check.chartvalues import DEVICE_PLUGIN, EXPORTER, NFD, Chart, Key
from compiler.objects import Obj
from compiler.yaml.readback import load_all

NAMES: Final = (DEVICE_PLUGIN, NFD, EXPORTER)
_HERE = Path(__file__).parent


@cache
def chart(name: str) -> Chart:
    """Return what is known of one of `NAMES`."""
    data: Obj = load_all((_HERE / f"{name}.yaml").read_text(encoding="utf-8"))[0]
    return Chart(
        name,
        str(data["version"]),
        {path: Key(kind.rstrip("!"), kind.endswith("!")) for path, kind in data["keys"].items()},
        data.get("meant") or {},
        data.get("ignored") or {},
        data.get("closed") or {},
        data["defaults"],
        {alias: chart(other) for alias, other in (data.get("subcharts") or {}).items()},
    )
