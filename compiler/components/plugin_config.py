"""The configuration file that device plugin, GFD and MPS daemon read: one file, so that they cannot disagree.

Everything that may be in the file or in the environment is in the file only: the environment would win silently.
Source: k8s-device-plugin, api/config/v1.
"""

from __future__ import annotations

from compiler.components.api import ConfigFiles, Context
from compiler.components.pods import Volumes
from compiler.model.overlay import Mps, NodePool, NoSharing
from compiler.objects import Obj
from compiler.yaml.emit import emit

NAME = "nvidia-device-plugin-config"
KEY = "config.yaml"
FOLDER = "/config"
ENV: list[Obj] = [
    {"name": "CONFIG_FILE", "value": f"{FOLDER}/{KEY}"},
    {"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"},
    {"name": "NVIDIA_DRIVER_CAPABILITIES", "value": "compute,utility"},
]
"""Environment of every container that reads the file and needs NVML."""
MIG_ENV: Obj = {"name": "NVIDIA_MIG_MONITOR_DEVICES", "value": "all"}


def document(context: Context, pool: NodePool) -> Obj:
    """Return the configuration of a pool's plugin, as data."""
    plugin = context.stack.device_plugin
    strategies = list(plugin.device_list_strategy)
    flags: Obj = {
        "migStrategy": pool.mig.strategy,
        "failOnInitError": plugin.fail_on_init_error,
        "nvidiaDriverRoot": plugin.nvidia_driver_root,
        "deviceDiscoveryStrategy": plugin.device_discovery_strategy,
        **({"mpsRoot": plugin.mps_root} if isinstance(pool.sharing, Mps) else {}),
        "plugin": {
            "passDeviceSpecs": plugin.pass_device_specs,
            "deviceListStrategy": strategies[0] if len(strategies) == 1 else strategies,
            "deviceIDStrategy": plugin.device_id_strategy,
        },
    }
    return {"version": "v1", "flags": flags, **_sharing(pool)}


def _sharing(pool: NodePool) -> Obj:
    sharing = pool.sharing
    if isinstance(sharing, NoSharing):
        return {}
    options: Obj = {"renameByDefault": sharing.rename_by_default}
    if not isinstance(sharing, Mps):  # with MPS the plugin refuses such requests whatever the file says
        options["failRequestsGreaterThanOne"] = sharing.fail_requests_greater_than_one
    options["resources"] = [{"name": item.name, "replicas": item.replicas} for item in sharing.by_resource()]
    return {"sharing": {"mps" if isinstance(sharing, Mps) else "timeSlicing": options}}


def config_files(context: Context, pool: NodePool) -> ConfigFiles:
    """Return the generated ConfigMap of a pool."""
    return ConfigFiles(NAME, {KEY: emit(document(context, pool))})


def mount(volumes: Volumes) -> None:
    """Mount the file into a pod."""
    volumes.config("config", NAME, FOLDER)


def mount_mps(volumes: Volumes, root: str) -> None:
    """Mount the folder and the shared memory by which plugin and MPS daemon meet; `root` is a path of the node."""
    volumes.host("mps-root", root, "/mps", kind="DirectoryOrCreate")
    volumes.host("mps-shm", f"{root}/shm", "/dev/shm")  # noqa: S108 -- where CUDA looks for it
