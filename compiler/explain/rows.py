"""Why compiled fields are as they are, and which input decides: rows of patterns, the first that fits counts.

A field is spelled with [] for the items of a list, or with the item's name: containers[dcgm-exporter].env[X]. An input
is `pool:taints`, `overlay:cluster`, `stack:runtimeClass.name`, or `own:version` for the component's own settings;
the first that somebody wrote is shown, else the first of all as a default.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """Fields, by kind of file and component, what decides about them, and why they are there."""

    kinds: str
    pattern: re.Pattern[str]
    inputs: tuple[str, ...]
    why: str
    source: str = ""

    def fits(self, kind: str, component: str, field: str) -> bool:
        """Return whether this row speaks of a field."""
        wanted = self.kinds.split()
        return bool({kind, component, "*"} & set(wanted)) and self.pattern.fullmatch(field) is not None


def row(kinds: str, pattern: str, inputs: str, why: str, source: str = "") -> Row:
    """Return a row; kinds and inputs are words with spaces between them."""
    return Row(kinds, re.compile(pattern), tuple(inputs.split()), why, source)
