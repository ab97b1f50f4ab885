"""The groups of rules, as the body of a PrometheusRule and as a plain file."""

from __future__ import annotations

from collections.abc import Sequence

from compiler.model.monitoring import Rules
from compiler.model.overlay import NodePool
from compiler.monitoring import alerts, recording
from compiler.objects import Obj


def common(settings: Rules) -> list[Obj]:
    """Return the groups that are the same for every environment: what is recorded, and the alerts.

    Rules of a group are evaluated in order, so that the alerts see what the same evaluation recorded.
    """
    return [_group("gpu", settings, [*recording.recorded(), *alerts.as_rules(settings)])]


def compiled(settings: Rules, pools: Sequence[NodePool]) -> list[Obj]:
    """Return the groups that say what each node of these pools should have."""
    return [_group("gpu-compiled", settings, recording.compiled(pools))]


def _group(name: str, settings: Rules, rules: list[Obj]) -> Obj:
    return {"name": name, "interval": settings.interval, "rules": rules}
