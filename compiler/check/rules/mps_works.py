"""MPS is asked for where it cannot work.

What it does: refuses MPS together with MIG, MPS without GPU Feature Discovery, and more than 48 replicas.

Why it fails at run time: the device plugin exits on MPS with MIG devices (k8s-device-plugin, internal/plugin/mps.go).
The MPS daemon selects `nvidia.com/mps.capable=true`, which only GFD sets; without the daemon the plugin waits for ever.
An MPS server takes 48 clients at most, 16 before Volta (cmd/mps-control-daemon/mps/device.go).

How to mend it: use time-slicing, or lift the conflicting setting.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.rule import Finding, Rule, each_environment
from compiler.model.environment import Environment
from compiler.model.overlay import Mps

_MAX_CLIENTS = 48


def _check(environment: Environment) -> Iterator[Finding]:
    for index, pool in enumerate(environment.overlay.node_pools):
        if not isinstance(pool.sharing, Mps):
            continue
        here = ("nodePools", index)
        if pool.mig.strategy != "none":
            yield Finding(
                f"pool {pool.name} combines MPS with MIG {pool.mig.strategy}: the device plugin exits at once",
                environment.overlay_place((*here, "mig", "strategy")),
                "use sharing strategy time-slicing or none with MIG",
            )
        if not environment.stack.gpu_feature_discovery.enabled:
            yield Finding(
                f"pool {pool.name} shares by MPS without GPU Feature Discovery: nothing sets nvidia.com/mps.capable, "
                "so the MPS daemon runs nowhere and the device plugin waits for it",
                environment.stack_place(("gpuFeatureDiscovery", "enabled")),
                "enable gpuFeatureDiscovery",
            )
        replicas = max(resource.replicas for resource in pool.sharing.by_resource())
        if replicas > _MAX_CLIENTS:
            yield Finding(
                f"pool {pool.name} wants {replicas} MPS clients a card; a server takes {_MAX_CLIENTS}: it exits",
                environment.overlay_place((*here, "sharing", "replicas")),
                f"use at most {_MAX_CLIENTS} replicas",
            )


RULE = Rule("GPU106", "mps-works", each_environment(_check))
