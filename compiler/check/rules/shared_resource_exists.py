"""Sharing is asked for a resource that the pool does not have.

What it does: compares the resources under `sharing` with those that the pool's MIG strategy makes.

Why it fails at run time: the plugin ignores a resource that no device has. With MIG mixed the instances are called
nvidia.com/mig-1g.10gb and so on, and `replicas`, which means nvidia.com/gpu, shares none of them; without mixed there
is nothing but nvidia.com/gpu. Source: k8s-device-plugin, api/config/v1/replicas.go and internal/rm.

How to mend it: name the resources that the pool has under `sharing.resources`.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.rule import Finding, Rule, each_environment
from compiler.model.environment import Environment
from compiler.model.overlay import GPU_RESOURCE, NodePool, NoSharing


def _resources(pool: NodePool) -> set[str] | None:
    if pool.mig.strategy != "mixed":
        return {GPU_RESOURCE}
    if not pool.mig.profiles:
        return None
    return {f"nvidia.com/mig-{profile.name.replace('+', '.')}" for profile in pool.mig.profiles}


def _check(environment: Environment) -> Iterator[Finding]:
    for index, pool in enumerate(environment.overlay.node_pools):
        sharing = pool.sharing
        if isinstance(sharing, NoSharing):
            continue
        there = _resources(pool)
        here = ("nodePools", index, "sharing")
        for number, resource in enumerate(sharing.by_resource()):
            missing = (
                resource.name not in there if there is not None else not resource.name.startswith("nvidia.com/mig-")
            )
            if missing:
                known = ", ".join(sorted(there)) if there else "nvidia.com/mig-<profile>"
                loc = (*here, "replicas") if sharing.replicas is not None else (*here, "resources", number, "name")
                yield Finding(
                    f"pool {pool.name} shares {resource.name}, which it does not have: the plugin would ignore it",
                    environment.overlay_place(loc),
                    f"list under `sharing.resources` what it has: {known}",
                )


RULE = Rule("GPU107", "shared-resource-exists", each_environment(_check))
