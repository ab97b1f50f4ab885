"""Environment variables that the stack's programs read.

Sources: k8s-device-plugin, cmd/*/main.go; dcgm-exporter, pkg/cmd/app.go; node-feature-discovery, deployment/base.
"""

from __future__ import annotations

from typing import Final

OVERRIDES: Final[dict[str, str]] = {
    "DEVICE_DISCOVERY_STRATEGY": "devicePlugin.deviceDiscoveryStrategy",
    "DEVICE_ID_STRATEGY": "devicePlugin.deviceIDStrategy",
    "DEVICE_LIST_STRATEGY": "devicePlugin.deviceListStrategy",
    "FAIL_ON_INIT_ERROR": "devicePlugin.failOnInitError",
    "MIG_STRATEGY": "nodePools[].mig.strategy",
    "MPS_ROOT": "devicePlugin.mpsRoot",
    "NVIDIA_DRIVER_ROOT": "devicePlugin.nvidiaDriverRoot",
    "PASS_DEVICE_SPECS": "devicePlugin.passDeviceSpecs",
}
"""Variables that win over the plugin's configuration file, each with the setting that gpuc writes into the file."""

CONFIG_ROUTES: Final[dict[str, tuple[str, ...]]] = {
    "DEVICE_DISCOVERY_STRATEGY": ("flags", "deviceDiscoveryStrategy"),
    "DEVICE_ID_STRATEGY": ("flags", "plugin", "deviceIDStrategy"),
    "DEVICE_LIST_STRATEGY": ("flags", "plugin", "deviceListStrategy"),
    "FAIL_ON_INIT_ERROR": ("flags", "failOnInitError"),
    "GFD_FAIL_ON_INIT_ERROR": ("flags", "failOnInitError"),
    "GFD_MIG_STRATEGY": ("flags", "migStrategy"),
    "GFD_NO_TIMESTAMP": ("flags", "gfd", "noTimestamp"),
    "GFD_ONESHOT": ("flags", "gfd", "oneshot"),
    "GFD_SLEEP_INTERVAL": ("flags", "gfd", "sleepInterval"),
    "MIG_STRATEGY": ("flags", "migStrategy"),
    "MPS_ROOT": ("flags", "mpsRoot"),
    "NVIDIA_DRIVER_ROOT": ("flags", "nvidiaDriverRoot"),
    "PASS_DEVICE_SPECS": ("flags", "plugin", "passDeviceSpecs"),
}
"""Variables that win over the plugin's configuration file, each with the field of the file."""

CONFIG_FILE: Final = frozenset({"CONFIG_FILE", "GFD_CONFIG_FILE"})
"""Variables that say where the file is."""

RUNTIME: Final = frozenset(
    {
        "NVIDIA_CTK_MODE",
        "NVIDIA_DISABLE_REQUIRE",
        "NVIDIA_DRIVER_CAPABILITIES",
        "NVIDIA_IMEX_CHANNELS",
        "NVIDIA_MIG_CONFIG_DEVICES",
        "NVIDIA_MIG_MONITOR_DEVICES",
        "NVIDIA_REQUIRE_CUDA",
        "NVIDIA_VISIBLE_DEVICES",
    }
)
"""Read by NVIDIA's container runtime, in every container."""

DEVICE_PLUGIN: Final = frozenset(
    {
        *OVERRIDES,
        *RUNTIME,
        "CDI_ANNOTATION_PREFIX",
        "CDI_FEATURE_FLAGS",
        "CONFIG_FILE",
        "CONTAINER_DRIVER_ROOT",
        "DP_DISABLE_HEALTHCHECKS",
        "DP_ENABLE_HEALTHCHECKS",
        "DRIVER_ROOT_CTR_PATH",
        "GDRCOPY_ENABLED",
        "GDS_ENABLED",
        "IMEX_CHANNEL_IDS",
        "IMEX_REQUIRED",
        "KUBELET_SOCKET",
        "MOFED_ENABLED",
        "NVIDIA_CDI_HOOK_PATH",
        "NVIDIA_CTK_PATH",
        "NVIDIA_DEV_ROOT",
    }
)
GPU_FEATURE_DISCOVERY: Final = frozenset(
    {
        *RUNTIME,
        "CONFIG_FILE",
        "CONTAINER_DRIVER_ROOT",
        "DEVICE_DISCOVERY_STRATEGY",
        "DRIVER_ROOT_CTR_PATH",
        "FAIL_ON_INIT_ERROR",
        "GFD_CONFIG_FILE",
        "GFD_FAIL_ON_INIT_ERROR",
        "GFD_MACHINE_TYPE_FILE",
        "GFD_MIG_STRATEGY",
        "GFD_NO_TIMESTAMP",
        "GFD_ONESHOT",
        "GFD_OUTPUT_FILE",
        "GFD_SLEEP_INTERVAL",
        "GFD_USE_NODE_FEATURE_API",
        "MIG_STRATEGY",
        "NAMESPACE",
        "NODE_NAME",
        "POD_NAME",
        "USE_NODE_FEATURE_API",
    }
)
DCGM_EXPORTER: Final = frozenset(
    {
        *RUNTIME,
        *(
            f"DCGM_EXPORTER_{name}"
            for name in (
                "CLOCK_EVENTS_COUNT_WINDOW_SIZE",
                "COLLECTORS",
                "CONFIGMAP_DATA",
                "CONFIG_FILE",
                "CONTAINER_LABELS",
                "CPU_DEVICES_STR",
                "DCGM_LOG_LEVEL",
                "DEBUG",
                "DEVICES_STR",
                "DUMP_COMPRESSION",
                "DUMP_DIRECTORY",
                "DUMP_ENABLED",
                "DUMP_RETENTION",
                "ENABLE_DCGM_LOG",
                "ENABLE_GPU_BIND_UNBIND_WATCH",
                "ENABLE_PPROF",
                "GPU_BIND_UNBIND_POLL_INTERVAL",
                "INTERVAL",
                "KUBERNETES",
                "KUBERNETES_ENABLE_POD_LABELS",
                "KUBERNETES_ENABLE_POD_UID",
                "KUBERNETES_GPU_ID_TYPE",
                "KUBERNETES_POD_LABEL_ALLOWLIST_REGEX",
                "LISTEN",
                "LOG_FORMAT",
                "NO_HOSTNAME",
                "OTHER_DEVICES_STR",
                "REPLACE_BLANKS_IN_MODEL_NAME",
                "SYSTEMD_SOCKET",
                "USE_FAKE_GPUS",
                "USE_OLD_NAMESPACE",
                "WEB_CONFIG_FILE",
                "WEB_READ_TIMEOUT",
                "WEB_WRITE_TIMEOUT",
                "XID_COUNT_WINDOW_SIZE",
            )
        ),
        "DCGM_CONTAINER_RUNTIME_SOCKET",
        "DCGM_HPC_JOB_MAPPING_DIR",
        "DCGM_POD_RESOURCES_KUBELET_SOCKET",
        "DCGM_REMOTE_HOSTENGINE_INFO",
        "DISABLE_STARTUP_VALIDATE",
        "KUBERNETES_ENABLE_DRA",
        "KUBERNETES_VIRTUAL_GPUS",
        "NODE_NAME",
        "NVIDIA_RESOURCE_NAMES",
    }
)
NODE_FEATURE_DISCOVERY: Final = frozenset({"KUBERNETES_NAMESPACE", "NODE_ADDRESS", "NODE_NAME", "POD_NAME", "POD_UID"})

FAMILIES: Final = ("DCGM_", "DEVICE_", "GFD_", "MIG_", "MPS_", "NVIDIA_")
"""Beginnings of names that nobody but these programs and NVIDIA's runtime reads."""
