"""A Talos image is described for nodes that do not run Talos.

What it does: refuses `talos` in a pool whose platform is another.

Why it fails at run time: what is said there changes nothing, and whoever reads it believes that the driver is in the
node's image.

How to mend it: delete `talos`, or give the pool `platform: {os: talos, version: ...}`.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.platforms import platforms
from compiler.check.rule import Finding, Rule, each_environment
from compiler.diagnostics import Related
from compiler.model.environment import Environment


def _check(environment: Environment) -> Iterator[Finding]:
    for item in platforms(environment):
        if item.pool.talos is not None and item.talos is None:
            yield Finding(
                f"pool {item.pool.name} describes a Talos image, and its nodes do not run Talos",
                item.place("talos", key=True),
                "delete it, or give the pool `platform: {os: talos, version: v1.13.3}`",
                (Related("the platform", item.platform_place()),),
            )


RULE = Rule("GPU501", "talos-on-talos", each_environment(_check))
