"""The counters file of the DCGM exporter.

Exactly three comma-separated fields a line: a comma in the help text breaks the line, and an unknown field is fatal.
"""

from __future__ import annotations

from collections.abc import Iterable

from compiler.model.components import Counter
from compiler.monitoring.fields import BASIC, PROFILING

FILE = "counters.csv"


def csv(extra: Iterable[Counter], *, profiling: bool) -> str:
    """Return the counters file; a counter of the user's replaces gpuc's of the same field."""
    fields = (*BASIC, *(PROFILING if profiling else ()))
    rows = {field.name: (field.name, field.type, field.help) for field in fields}
    rows |= {counter.field: (counter.field, counter.type, counter.help) for counter in extra}
    return "".join(f"{', '.join(row)}\n" for row in rows.values())
