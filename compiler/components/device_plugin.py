"""NVIDIA's device plugin, which advertises `nvidia.com/gpu` on the nodes of each pool."""

from __future__ import annotations

from compiler.components import plugin_config
from compiler.components.api import Component, ConfigFiles, Context
from compiler.components.pods import (
    Volumes,
    container_security,
    env,
    gpu_pod,
    image,
    labels,
    metadata,
    resources,
    selector,
    service_account,
    update_strategy,
    workload,
)
from compiler.model.overlay import Mps, NodePool
from compiler.model.stack import Platform, TalosPlatform
from compiler.objects import Obj

REPOSITORY = "nvcr.io/nvidia/k8s-device-plugin"
NAME = "nvidia-device-plugin"
TALOS_CDI_HOOK = "/usr/local/bin/nvidia-cdi-hook"
TALOS_NATIVE_CDI = (1, 13)


class DevicePlugin(Component):
    """The plugin reads one static configuration, so it needs no config-manager and no API access."""

    name = "device-plugin"

    def shared(self, context: Context) -> list[Obj]:
        """Return the account of the plugin and of the MPS daemon."""
        return [service_account(NAME, context.namespace, labels(NAME, "device-plugin"), token=False)]

    def pool_config(self, context: Context, pool: NodePool) -> list[ConfigFiles]:
        """Return the configuration file, which GFD and the MPS daemon mount too."""
        return [plugin_config.config_files(context, pool)]

    def pooled(self, context: Context, pool: NodePool | None) -> list[Obj]:
        """Return the DaemonSet."""
        stack, settings = context.stack, context.stack.device_plugin
        volumes = Volumes()
        volumes.host(
            "device-plugins", "/var/lib/kubelet/device-plugins", "/var/lib/kubelet/device-plugins", kind="Directory"
        )
        plugin_config.mount(volumes)
        variables = [*plugin_config.ENV]
        if any(strategy.startswith("cdi-") for strategy in settings.device_list_strategy):
            variables += _cdi(context, pool, volumes)
        if pool and pool.mig.strategy != "none":
            variables.append(plugin_config.MIG_ENV)
        if pool and isinstance(pool.sharing, Mps):
            plugin_config.mount_mps(volumes, settings.mps_root)
        container = {
            "name": NAME,
            "image": image(stack, settings, REPOSITORY, settings.version),
            "imagePullPolicy": settings.image.pull_policy,
            "command": ["nvidia-device-plugin"],
            "env": env(variables, settings),
            **resources(settings),
            "securityContext": container_security(settings, _security(context, pool)),
            "volumeMounts": volumes.mounts,
        }
        pod = gpu_pod(
            stack, settings, settings, container, volumes.volumes, account=NAME, pool=pool, pools=context.pools
        )
        return [
            workload(
                "DaemonSet",
                metadata(NAME, context.namespace, labels(NAME, "device-plugin")),
                selector(NAME, "device-plugin"),
                settings,
                pod,
                spec={"updateStrategy": update_strategy(settings, {"type": "RollingUpdate"})},
            )
        ]


def _cdi(context: Context, pool: NodePool | None, volumes: Volumes) -> list[Obj]:
    """Mount what CDI generation reads and writes; return the environment it needs.

    The plugin finds the driver below /driver-root, its default for the driver root inside the container.
    """
    settings = context.stack.device_plugin
    volumes.host("cdi-root", "/var/run/cdi", "/var/run/cdi", kind="DirectoryOrCreate")
    volumes.host("driver-root", settings.nvidia_driver_root, "/driver-root", read_only=True, kind="Directory")
    hook = settings.cdi.hook_path or _known_hook(context.platform(pool))
    return [{"name": "NVIDIA_CDI_HOOK_PATH", "value": hook}] if hook else []


def _known_hook(platform: Platform) -> str | None:
    native = isinstance(platform, TalosPlatform) and platform.minor >= TALOS_NATIVE_CDI
    return TALOS_CDI_HOOK if native else None


def _security(context: Context, pool: NodePool | None) -> Obj:
    """Return the least that works: SYS_ADMIN is for MIG and for volume-mounts, device nodes need privileged."""
    settings = context.stack.device_plugin
    if settings.pass_device_specs:
        return {"privileged": True}
    if (pool and pool.mig.strategy != "none") or "volume-mounts" in settings.device_list_strategy:
        return {"capabilities": {"add": ["SYS_ADMIN"]}}
    return {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


COMPONENT = DevicePlugin()
