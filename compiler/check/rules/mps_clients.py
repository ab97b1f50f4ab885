"""MPS has more replicas than an old card takes clients.

What it does: for cards older than Turing, refuses more than 16 MPS replicas.

Why it fails at run time: the MPS daemon and the plugin exit with `maximum allowed replicas exceeded`. Upstream grants
48 clients from compute capability 7.5 on, which is Turing, although the function is called isAtLeastVolta. Source:
k8s-device-plugin, cmd/mps-control-daemon/mps/device.go.

How to mend it: at most 16 replicas, or time-slicing.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.platforms import platforms
from compiler.check.rule import Finding, Rule, each_environment
from compiler.diagnostics import Related
from compiler.model.cards import Generation
from compiler.model.environment import Environment
from compiler.model.overlay import Mps

_CLIENTS = 16


def _check(environment: Environment) -> Iterator[Finding]:
    for item in platforms(environment):
        sharing = item.pool.sharing
        if not isinstance(sharing, Mps) or item.card is None or item.card.generation >= Generation.TURING:
            continue
        for index, resource in enumerate(sharing.by_resource()):
            if resource.replicas > _CLIENTS:
                loc = ("replicas",) if sharing.replicas is not None else ("resources", index, "replicas")
                yield Finding(
                    f"MPS on a {item.card.generation.label} card takes {_CLIENTS} clients, not {resource.replicas}: "
                    "daemon and plugin exit",
                    item.place("sharing", *loc),
                    f"use at most {_CLIENTS} replicas, or time-slicing",
                    (Related("the card", item.place("gpu", "product")),),
                )


RULE = Rule("GPU507", "mps-clients", each_environment(_check))
