"""The device plugin's chart. Source: k8s-device-plugin, deployments/helm/nvidia-device-plugin/templates."""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.chartvalues import ChartValues
from compiler.check.objects.plain import mapping
from compiler.check.scene import Located, Route
from compiler.lint.rendered.making import POD, account, env, labels_of, made, meta, workload
from compiler.objects import Json, Obj
from compiler.yaml.readback import UnreadableError, load_all

_SHARED_FIELDS = (
    "affinity",
    "imagePullSecrets",
    "nodeSelector",
    "priorityClassName",
    "runtimeClassName",
    "tolerations",
)
_CONTAINER: Route = (*POD, "containers", 0)
_TEXTS = {
    "MIG_STRATEGY": ("migStrategy",),
    "DEVICE_LIST_STRATEGY": ("deviceListStrategy",),
    "DEVICE_ID_STRATEGY": ("deviceIDStrategy",),
    "NVIDIA_DRIVER_ROOT": ("nvidiaDriverRoot",),
    "NVIDIA_DEV_ROOT": ("nvidiaDevRoot",),
    "NVIDIA_CDI_HOOK_PATH": ("cdi", "nvidiaHookPath"),
    "DEVICE_DISCOVERY_STRATEGY": ("deviceDiscoveryStrategy",),
}
_BOOLEANS = {"FAIL_ON_INIT_ERROR": ("failOnInitError",), "PASS_DEVICE_SPECS": ("compatWithCPUManager",)}
_OF_GFD = frozenset({"MIG_STRATEGY", "FAIL_ON_INIT_ERROR", "DEVICE_DISCOVERY_STRATEGY"})


def objects(values: ChartValues) -> list[Located]:
    """Return the objects of the plugin and, where they are asked for, of GPU Feature Discovery and MPS."""
    found = [account(values, f"{values.release}-service-account")]
    configs = values.set("config", "map")
    if isinstance(configs, dict) and configs:
        found.append(_config_map(values, configs))
    if values.effective("devicePlugin", "enabled") is not False:
        found.append(_daemon(values, values.release, "nvidia-device-plugin", list(_variables(values))))
        if _shares_by_mps(configs):
            found.append(_mps(values))
    if values.effective("gfd", "enabled") is True:
        variables = [item for item in _variables(values) if item[0] in _OF_GFD]
        found.append(_daemon(values, f"{values.release}-gpu-feature-discovery", "gpu-feature-discovery", variables))
    return found


def _config_name(values: ChartValues) -> str | None:
    name = values.set("config", "name")
    if isinstance(name, str) and name:
        return name
    return f"{values.release}-configs" if values.set("config", "map") else None


def _config_map(values: ChartValues, configs: Obj) -> Located:
    data = {str(name): content for name, content in configs.items() if isinstance(content, str)}
    routes: list[tuple[Route, Route]] = [(("data", name), ("config", "map", name)) for name in data]
    metadata = meta(values, f"{values.release}-configs")
    return made(values, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}, routes)


def _variables(values: ChartValues) -> Iterator[tuple[str, Json, Route]]:
    for name, route in _TEXTS.items():
        value = values.effective(*route)
        if isinstance(value, str):
            yield name, value, route
    for name, route in _BOOLEANS.items():
        value = values.effective(*route)
        if isinstance(value, bool):
            yield name, str(value).lower(), route


def _daemon(values: ChartValues, name: str, program: str, settings: list[tuple[str, Json, Route]]) -> Located:
    config = _config_name(values)
    gfd = program == "gpu-feature-discovery"
    if config:
        settings = [*settings, ("CONFIG_FILE", "/config/config.yaml", ())]
    variables, routes = env(settings, (*_CONTAINER, "env"))
    variables += [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}]
    mounts = [{"name": "config", "mountPath": "/config"}] if config else []
    own = mapping(values.effective("gfd", "securityContext")) if gfd else mapping(values.effective("securityContext"))
    container: Obj = {
        "name": program,
        "image": _image(values),
        "command": [program],
        "env": variables,
        "securityContext": own or _security(values),
        "volumeMounts": mounts,
        "resources": mapping(values.effective("resources")),
    }
    host: Obj = {"name": "device-plugins", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}}
    spec: Obj = {
        **{field: values.effective(field) for field in _SHARED_FIELDS},
        "serviceAccountName": f"{values.release}-service-account",
        "containers": [container],
        "volumes": [host],
    }
    if config:
        spec["initContainers"] = [_chooser(values)]
        spec["volumes"] += [
            {"name": "available-configs", "configMap": {"name": config}},
            {"name": "config", "emptyDir": {}},
        ]
        routes.append(((*POD, "volumes", 1, "configMap", "name"), ("config", "name")))
        chosen: Route = (*POD, "initContainers", 0, "env", 3, "value")
        routes.append((chosen, ("config", "default")))
    routes += [((*POD, field), (field,)) for field in _SHARED_FIELDS]
    routes += [
        ((*_CONTAINER, "resources"), ("resources",)),
        ((*_CONTAINER, "securityContext"), ("gfd", "securityContext") if gfd else ("securityContext",)),
        ((*_CONTAINER, "image"), ("image", "tag")),
        (("metadata", "namespace"), ("namespaceOverride",)),
    ]
    notes = values.effective("podAnnotations")
    obj = workload("DaemonSet", meta(values, name), labels_of(values, program), spec, notes if config else None)
    return made(values, obj, routes)


def _chooser(values: ChartValues) -> Obj:
    """Return the init container that copies the node's configuration to where the plugin reads it."""
    return {
        "name": "config-manager",
        "image": _image(values),
        "command": ["config-manager"],
        "env": [
            {"name": "NODE_LABEL", "value": "nvidia.com/device-plugin.config"},
            {"name": "CONFIG_FILE_SRCDIR", "value": "/available-configs"},
            {"name": "CONFIG_FILE_DST", "value": "/config/config.yaml"},
            {"name": "DEFAULT_CONFIG", "value": str(values.effective("config", "default") or "")},
        ],
        "volumeMounts": [
            {"name": "available-configs", "mountPath": "/available-configs"},
            {"name": "config", "mountPath": "/config"},
        ],
    }


def _image(values: ChartValues) -> str:
    tag = values.effective("image", "tag") or f"v{values.chart.version}"
    return f"{values.effective('image', 'repository')}:{tag}"


def _security(values: ChartValues) -> Obj:
    """Return the plugin's security context where nobody sets one. Source: _helpers.tpl."""
    if values.effective("compatWithCPUManager"):
        return {"privileged": True}
    mig = values.effective("migStrategy")
    strategy = values.effective("deviceListStrategy")
    configured = _config_name(values) is not None
    mig_possible = mig != "none" if mig else configured
    mounts = "volume-mounts" in strategy if isinstance(strategy, str) and strategy else configured
    if mig_possible or mounts:
        return {"capabilities": {"add": ["SYS_ADMIN"]}}
    return {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def _shares_by_mps(configs: Json) -> bool:
    for content in mapping(configs).values():
        try:
            documents = load_all(content) if isinstance(content, str) else []
        except UnreadableError:
            continue
        if documents and mapping(mapping(documents[0]).get("sharing")).get("mps"):
            return True
    return False


def _mps(values: ChartValues) -> Located:
    name = f"{values.release}-mps-control-daemon"
    root = str(values.effective("mps", "root"))
    spec: Obj = {
        **{field: values.effective(field) for field in _SHARED_FIELDS},
        "hostPID": values.effective("mps", "enableHostPID") is True,
        "serviceAccountName": f"{values.release}-service-account",
        "nodeSelector": {"nvidia.com/mps.capable": "true", **mapping(values.effective("nodeSelector"))},
        "initContainers": [_chooser(values)],
        "containers": [
            {
                "name": "mps-control-daemon",
                "image": _image(values),
                "command": ["mps-control-daemon"],
                "env": [
                    {"name": "CONFIG_FILE", "value": "/config/config.yaml"},
                    {"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"},
                ],
                "securityContext": {"privileged": True},
                "volumeMounts": [
                    {"name": "config", "mountPath": "/config"},
                    {"name": "mps-root", "mountPath": "/mps", "mountPropagation": "Bidirectional"},
                    {"name": "mps-shm", "mountPath": "/dev/shm"},  # noqa: S108 -- the container's, for MPS
                ],
            }
        ],
        "volumes": [
            {"name": "mps-root", "hostPath": {"path": root, "type": "DirectoryOrCreate"}},
            {"name": "mps-shm", "hostPath": {"path": f"{root}/shm"}},
            {"name": "available-configs", "configMap": {"name": _config_name(values)}},
            {"name": "config", "emptyDir": {}},
        ],
    }
    routes: list[tuple[Route, Route]] = [((*POD, field), (field,)) for field in _SHARED_FIELDS]
    obj = workload("DaemonSet", meta(values, name), labels_of(values, "mps-control-daemon"), spec)
    return made(values, obj, routes)
