"""Profiling metrics are asked of GeForce cards.

What it does: warns about `dcgmExporter.profiling` where every card is a GeForce.

Why it matters: DCGM has DCGM_FI_PROF_* for data-centre cards only and skips them on GeForce, so that the exporter runs
with SYS_ADMIN for nothing. Source: DCGM user guide, profiling metrics.

How to mend it: leave `profiling` out, here by `overrides: {dcgmExporter: {profiling: false}}`.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.platforms import platforms
from compiler.check.rule import Finding, Rule, each_environment
from compiler.diagnostics import Related, Severity
from compiler.model.environment import Environment


def _check(environment: Environment) -> Iterator[Finding]:
    exporter = environment.stack.dcgm_exporter
    if exporter is None or not exporter.enabled or not exporter.profiling:
        return
    items = list(platforms(environment))
    if all(item.card is not None and item.card.geforce for item in items):
        yield Finding(
            "GeForce cards have no DCGM_FI_PROF_* metrics: the exporter would run with SYS_ADMIN for nothing",
            environment.stack_place(("dcgmExporter", "profiling")),
            "leave `profiling` out",
            (Related("the card", items[0].place("gpu", "product")),),
        )


RULE = Rule("GPU506", "profiling-on-geforce", each_environment(_check), Severity.WARNING)
