"""The MPS control daemon, only on pools that share by MPS."""

from __future__ import annotations

from compiler.components import plugin_config
from compiler.components.api import Component, Context
from compiler.components.device_plugin import NAME as PLUGIN
from compiler.components.device_plugin import REPOSITORY
from compiler.components.pods import (
    Volumes,
    env,
    field_env,
    gpu_pod,
    image,
    labels,
    metadata,
    selector,
    update_strategy,
    workload,
)
from compiler.model.overlay import Mps, NodePool
from compiler.objects import Obj

NAME = "nvidia-mps-control-daemon"


class MpsControlDaemon(Component):
    """The plugin advertises nothing until the daemon answers, so the two always come together.

    It runs privileged, with the node's process IDs and a shared-memory file system that it mounts on the node: its
    first container makes that mount, and mount propagation carries it to the workloads.
    """

    name = "mps-control-daemon"

    def runs_on(self, pool: NodePool) -> bool:
        """Whether the pool shares by MPS."""
        return isinstance(pool.sharing, Mps)

    def pooled(self, context: Context, pool: NodePool | None) -> list[Obj]:
        """Return the DaemonSet; GFD labels the nodes whose cards can do MPS."""
        stack, settings = context.stack, context.stack.device_plugin
        reference = image(stack, settings, REPOSITORY, settings.version)
        volumes = Volumes()
        plugin_config.mount_mps(volumes, settings.mps_root)
        plugin_config.mount(volumes)
        common = {"image": reference, "imagePullPolicy": settings.image.pull_policy}
        container = {
            "name": NAME,
            **common,
            "command": ["mps-control-daemon"],
            "env": env(
                [field_env("NODE_NAME", "spec.nodeName"), *plugin_config.ENV],
                settings,
            ),
            "securityContext": {"privileged": True},
            "volumeMounts": volumes.mounts,
        }
        mounts = {
            "name": "mount-shm",
            **common,
            "command": ["mps-control-daemon", "mount-shm"],
            "securityContext": {"privileged": True},
            "volumeMounts": [{"name": "mps-root", "mountPath": "/mps", "mountPropagation": "Bidirectional"}],
        }
        pod = gpu_pod(
            stack,
            settings,
            settings,
            container,
            volumes.volumes,
            account=PLUGIN,
            pool=pool,
            pools=context.pools,
            extra={"hostPID": True, "initContainers": [mounts]},
        )
        pod["nodeSelector"] = {**pod["nodeSelector"], "nvidia.com/mps.capable": "true"}
        return [
            workload(
                "DaemonSet",
                metadata(NAME, context.namespace, labels(PLUGIN, "mps-control-daemon")),
                selector(PLUGIN, "mps-control-daemon"),
                settings,
                pod,
                spec={"updateStrategy": update_strategy(settings, {"type": "RollingUpdate"})},
            )
        ]


COMPONENT = MpsControlDaemon()
