"""The driver in the Talos image does not know the card.

What it does: compares the driver's branch and kernel modules with the card's generation, which the product name tells.

Why it fails at run time: NVML finds no device, and nothing is advertised. The production branch (595) dropped Maxwell,
Pascal and Volta, which the LTS branch (580) still knows; the open kernel modules need Turing or later; Blackwell runs
with the open ones alone; Kepler ended with branch 470. Sources: NVIDIA's driver READMEs, appendix A (supported chips)
and the chapter on open kernel modules; Talos, NVIDIA GPU guides.

How to mend it: Turing to Hopper take any; Blackwell: `modules: open`; older: `driver: lts, modules: proprietary`.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.platforms import platforms
from compiler.check.rule import Finding, Rule, each_environment
from compiler.diagnostics import Related
from compiler.model.cards import Card, Generation
from compiler.model.environment import Environment
from compiler.model.overlay import Talos

_OLD = "set `driver: lts` and `modules: proprietary`"


def _check(environment: Environment) -> Iterator[Finding]:
    for item in platforms(environment):
        talos = item.pool.talos
        if talos is None or item.talos is None or item.card is None:
            continue
        for field, why, cure in _wrong(talos, item.card):
            written = field in item.environment.overlay_document.resolve(("nodePools", item.index, "talos", field))
            yield Finding(
                f"the card of pool {item.pool.name} is {item.card.generation.label}: {why}, so that nothing is "
                "advertised",
                item.place("talos", *([field] if written else []), key=not written),
                cure,
                (Related("the card", item.place("gpu", "product")),),
            )


def _wrong(talos: Talos, card: Card) -> Iterator[tuple[str, str, str]]:
    """Yield the field that is wrong, why, and the cure."""
    generation = card.generation
    if generation is Generation.KEPLER:
        yield "driver", "no driver that Talos has knows it", "use a card from Maxwell on"
        return
    if not generation.in_current_drivers and talos.driver == "production":
        yield "driver", "the production branch of the driver dropped it", _OLD
    if not generation.open_modules and talos.modules == "open":
        yield "modules", "the open kernel modules do not drive it", _OLD
    if generation.needs_open_modules and talos.modules == "proprietary":
        yield "modules", "it needs the open kernel modules", "set `modules: open`"


RULE = Rule("GPU502", "driver-knows-card", each_environment(_check))
