"""One sentence about what a change does to the cluster, and helpers that write it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from compiler.objects import Json, value_at

Weight = Literal["breaks", "interrupts", "restarts", "note"]
WEIGHTS: tuple[Weight, ...] = get_args(Weight)
"""The gravest first: the apply fails; running jobs or GPUs are lost; pods restart; worth knowing."""
_NAMED = 4


@dataclass(frozen=True)
class Effect:
    """One sentence about the cluster, and how much it matters."""

    weight: Weight
    text: str


def listed(names: Sequence[str], most: int = _NAMED) -> str:
    """Return names as text, the surplus of a long list counted."""
    unique = list(dict.fromkeys(names))
    if len(unique) <= most + 1:
        return ", ".join(unique)
    return f"{', '.join(unique[:most])} and {len(unique) - most} more"


def get(value: Json, *route: str) -> Json:
    """Return what mappings hold at a route, or None."""
    return value_at(value, route)


def items(value: Json, *route: str) -> list[dict[str, Json]]:
    """Return the mappings in the list at a route, or nothing."""
    found = get(value, *route)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
