"""What the nodes of a pool advertise, which follows from cards, MIG and sharing."""

from __future__ import annotations

from compiler.model.overlay import GPU_RESOURCE, NodePool, NoSharing


def advertised(pool: NodePool) -> dict[str, int] | None:
    """Return what each node of the pool advertises, by resource name, or None where gpuc is not told.

    With MIG the count is the number of instances, which the administrator makes; it is known where the pool lists them.
    Source: k8s-device-plugin, internal/rm: each device appears `replicas` times, under a name ending in
    `.shared` if renamed.
    """
    if pool.mig.strategy == "none":
        devices = {GPU_RESOURCE: pool.gpu.count}
    elif not pool.mig.profiles:
        return None
    elif pool.mig.strategy == "single":
        devices = {GPU_RESOURCE: pool.gpu.count * pool.mig.profiles[0].count}
    else:
        devices = {
            f"nvidia.com/mig-{profile.name.replace('+', '.')}": pool.gpu.count * profile.count
            for profile in pool.mig.profiles
        }
    if isinstance(pool.sharing, NoSharing):
        return devices
    shared = {item.name: item.replicas for item in pool.sharing.by_resource()}
    suffix = ".shared" if pool.sharing.rename_by_default else ""
    return {(name + suffix if name in shared else name): count * shared.get(name, 1) for name, count in devices.items()}
