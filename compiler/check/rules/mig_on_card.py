"""MIG is asked of a card that does not have it, or not in this way.

What it does: compares `mig` with what the card can do: whether it has MIG, which instances, and how many slices they
take together (seven, four on the A30).

Why it fails at run time: the instances that the pool counts on cannot be made, so that they are advertised nowhere. A
GeForce or workstation card without MIG is advertised whole. Source: NVIDIA Multi-Instance GPU user guide, supported
GPUs and profiles.

How to mend it: `mig: {strategy: none}`, or profiles that the card has.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.platforms import PoolPlatform, platforms
from compiler.check.rule import Finding, Rule, each_environment
from compiler.diagnostics import Related, Severity
from compiler.model.environment import Environment

_SLICES = 7
_SLICES_OF_A30 = 4


def _check(environment: Environment) -> Iterator[Finding]:
    for item in platforms(environment):
        mig = item.pool.mig
        if item.card is None or mig.strategy == "none":
            continue
        card = (Related("the card", item.place("gpu", "product")),)
        if item.card.mig is None:
            yield Finding(
                f"{item.pool.gpu.product} has no MIG: "
                + ("there will be none of these instances" if mig.profiles else "the strategy changes nothing"),
                item.place("mig", "strategy"),
                "use `strategy: none`; time-slicing shares this card",
                card,
                None if mig.profiles else Severity.WARNING,
            )
            continue
        yield from _profiles(item, item.card.mig)


def _profiles(item: PoolPlatform, known: frozenset[str]) -> Iterator[Finding]:
    taken = 0
    for index, profile in enumerate(item.pool.mig.profiles):
        taken += int(profile.name.partition("g")[0]) * profile.count
        if known and profile.name.replace("+", ".") not in known:
            yield Finding(
                f"{item.pool.gpu.product} is not known to have the MIG profile {profile.name}",
                item.place("mig", "profiles", index, "name"),
                f"known: {', '.join(sorted(known))}",
                severity=Severity.WARNING,
            )
    most = _SLICES_OF_A30 if "4g.24gb" in known else _SLICES
    if taken > most:
        yield Finding(
            f"the MIG profiles of pool {item.pool.name} need {taken} slices and a card has {most}: some cannot be made",
            item.place("mig", "profiles"),
            "list fewer or smaller instances",
        )


RULE = Rule("GPU505", "mig-on-card", each_environment(_check))
