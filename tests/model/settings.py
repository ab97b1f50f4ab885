"""What users of the Helm charts set, how it is said here, and where it ends up: the rows of docs/settings.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PLUGIN, GFD, EXPORTER = (
    f"DaemonSet/{name}-a" for name in ("nvidia-device-plugin", "gpu-feature-discovery", "dcgm-exporter")
)
WORKER = "DaemonSet/nfd-worker"
MONITOR = "ServiceMonitor/dcgm-exporter"
CONFIG = "the plugin's configuration file"
Path = tuple[str | int, ...]
ANY = "*"
"""Last step of a path: any item of the list."""
_SPEC = ("spec", "template", "spec")
_CONTAINER = (*_SPEC, "containers", 0)
_ENDPOINT = ("spec", "endpoints", 0)
_DIGEST = f"sha256:{'a' * 64}"


@dataclass(frozen=True)
class Setting:
    """A setting of a chart (`chart` names chart and key), its counterpart, and a value in an object that proves it.

    `here` is the stack, or with `pool` the node pool, as people write it; the keys above the value are its path.
    """

    chart: str
    here: dict[str, Any]
    obj: str
    path: Path
    value: Any
    pool: bool = False
    note: str = ""


def _label(name: str, value: str = "true") -> Setting:
    terms = (*_SPEC, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
    return Setting(
        f"plugin: affinity or nodeSelector by `{name}`",
        {"nodeSelector": {name: value}},
        PLUGIN,
        (*terms, 0, "matchExpressions", 0),
        {"key": name, "operator": "In", "values": [value]},
        pool=True,
    )


def _tolerated(chart: str, toleration: dict[str, Any], shown: dict[str, Any]) -> Setting:
    return Setting(chart, {"devicePlugin": {"tolerations": [toleration]}}, PLUGIN, (*_SPEC, "tolerations", ANY), shown)


def _plugin(key: str, value: Any, path: Path, shown: Any = None, *, chart: str = "") -> Setting:
    return Setting(f"plugin: `{chart or key}`", {"devicePlugin": {key: value}}, PLUGIN, path, shown or value)


def _flag(key: str, value: Any, path: Path, *, chart: str = "", shown: Any = None) -> Setting:
    return Setting(
        f"plugin: `{chart or key}`", {"devicePlugin": {key: value}}, CONFIG, path, value if shown is None else shown
    )


def _exporter(key: str, value: Any, path: Path, shown: Any = None, *, chart: str = "") -> Setting:
    here = {"dcgmExporter": {key: value}}
    return Setting(f"exporter: `{chart or key}`", here, EXPORTER, path, value if shown is None else shown)


def _monitor(key: str, value: Any, path: Path, shown: Any = None) -> Setting:
    here = {"dcgmExporter": {"serviceMonitor": {"enabled": True, key: value}}}
    return Setting(f"exporter: `serviceMonitor.{key}`", here, MONITOR, path, value if shown is None else shown)


_RESOURCES = {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "1Gi"}}
_SECURITY = {"capabilities": {"add": ["SYS_ADMIN"]}, "runAsUser": 0}
_IMAGE = "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"
_EXPORTER = "nvcr.io/nvidia/k8s/dcgm-exporter"
_VARIABLE = {"name": "DCGM_EXPORTER_INTERVAL", "value": "15000"}
_DROP = {"action": "drop", "regex": "DCGM_.*"}
_RELABEL = {"action": "replace", "sourceLabels": ["__meta_kubernetes_pod_node_name"], "targetLabel": "node"}

SETTINGS = (
    # Images
    _plugin(
        "image",
        {"repository": "harbor.lan/p"},
        (*_CONTAINER, "image"),
        "harbor.lan/p:v0.20.0",
        chart="image.repository",
    ),
    _plugin("image", {"tag": "v0.20.0-ubi9"}, (*_CONTAINER, "image"), f"{_IMAGE}-ubi9", chart="image.tag"),
    _plugin(
        "image", {"digest": _DIGEST}, (*_CONTAINER, "image"), f"{_IMAGE}@{_DIGEST}", chart="image.tag with a digest"
    ),
    _plugin("image", {"pullPolicy": "Always"}, (*_CONTAINER, "imagePullPolicy"), "Always", chart="image.pullPolicy"),
    _plugin("imagePullSecrets", [{"name": "regcred"}], (*_SPEC, "imagePullSecrets")),
    Setting(
        "every chart: a mirror in each `image.repository`",
        {"registryPrefix": "harbor.lan/hub"},
        PLUGIN,
        (*_CONTAINER, "image"),
        f"harbor.lan/hub/{_IMAGE}",
    ),
    Setting(
        "every chart: `imagePullSecrets`",
        {"imagePullSecrets": [{"name": "all"}]},
        WORKER,
        (*_SPEC, "imagePullSecrets"),
        [{"name": "all"}],
    ),
    _exporter("image", {"tag": "4.5.3-ubi9"}, (*_CONTAINER, "image"), f"{_EXPORTER}:4.5.3-ubi9", chart="image.tag"),
    # Pods
    _plugin("resources", _RESOURCES, (*_CONTAINER, "resources")),
    _plugin("securityContext", _SECURITY, (*_CONTAINER, "securityContext")),
    _plugin("priorityClassName", "gpu-critical", (*_SPEC, "priorityClassName")),
    _plugin("updateStrategy", {"type": "OnDelete"}, ("spec", "updateStrategy")),
    _plugin(
        "annotations", {"example.com/a": "b"}, ("spec", "template", "metadata", "annotations"), chart="podAnnotations"
    ),
    _plugin("labels", {"team": "ml"}, ("spec", "template", "metadata", "labels", "team"), "ml", chart="podLabels"),
    _plugin(
        "env",
        [{"name": "A", "value": "b"}],
        (*_CONTAINER, "env", ANY),
        {"name": "A", "value": "b"},
        chart="extra environment",
    ),
    _tolerated(
        "plugin: `tolerations` for nvidia.com/gpu, Exists",
        {"key": "nvidia.com/gpu", "operator": "Exists"},
        {"key": "nvidia.com/gpu", "operator": "Exists"},
    ),
    _tolerated(
        "plugin: `tolerations`, NoExecute",
        {"key": "a", "value": "b", "effect": "NoExecute"},
        {"key": "a", "operator": "Equal", "value": "b", "effect": "NoExecute"},
    ),
    _tolerated("plugin: `tolerations` for everything", {"operator": "Exists"}, {"operator": "Exists"}),
    Setting(
        "every chart: `tolerations` for the nodes' own taint",
        {"taints": [{"key": "dedicated", "value": "ai", "effect": "NoSchedule"}]},
        WORKER,
        (*_SPEC, "tolerations", 0),
        {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"},
        pool=True,
        note="once, for everything that runs there",
    ),
    Setting(
        "NFD: `worker.tolerations`",
        {"nodeFeatureDiscovery": {"worker": {"tolerations": [{"operator": "Exists"}]}}},
        WORKER,
        (*_SPEC, "tolerations", 0),
        {"operator": "Exists"},
    ),
    Setting(
        "NFD: `worker.resources`",
        {"nodeFeatureDiscovery": {"worker": {"resources": _RESOURCES}}},
        WORKER,
        (*_CONTAINER, "resources"),
        _RESOURCES,
    ),
    Setting(
        "NFD: `worker.config` for PCI devices",
        {"nodeFeatureDiscovery": {"pci": {"deviceLabelFields": ["class", "vendor"]}}},
        "the NFD worker's configuration file",
        ("sources", "pci", "deviceLabelFields"),
        ["class", "vendor"],
    ),
    # Nodes
    _label("nvidia.com/gpu.present"),
    _label("nvidia.feature.node.kubernetes.io/gpu"),
    _label("feature.node.kubernetes.io/pci-0300_10de.present"),
    _label("feature.node.kubernetes.io/pci-10de.present"),
    _label("extensions.talos.dev/nonfree-kmod-nvidia-production", "570.172.08-v1.13.3"),
    _label("kubernetes.io/hostname", "k8s-worker4"),
    _label("example.com/gpu", "yes"),
    Setting(
        "plugin: `affinity` by node name",
        {"nodes": [{"name": "n"}]},
        PLUGIN,
        (
            *_SPEC,
            "affinity",
            "nodeAffinity",
            "requiredDuringSchedulingIgnoredDuringExecution",
            "nodeSelectorTerms",
            0,
            "matchFields",
            0,
            "values",
        ),
        ["n"],
        pool=True,
    ),
    Setting(
        "every chart: `runtimeClassName`",
        {"runtimeClass": {"name": "nvidia-cdi", "handler": "nvidia-cdi"}},
        EXPORTER,
        (*_SPEC, "runtimeClassName"),
        "nvidia-cdi",
        note="set for every pod that needs the driver",
    ),
    # The plugin's configuration
    _flag("failOnInitError", value=False, path=("flags", "failOnInitError")),
    _flag("nvidiaDriverRoot", "/run/nvidia/driver", ("flags", "nvidiaDriverRoot")),
    _flag("deviceDiscoveryStrategy", "auto", ("flags", "deviceDiscoveryStrategy")),
    _flag("deviceListStrategy", ["volume-mounts"], ("flags", "plugin", "deviceListStrategy"), shown="volume-mounts"),
    _flag("deviceIDStrategy", "index", ("flags", "plugin", "deviceIDStrategy")),
    _flag("passDeviceSpecs", value=True, path=("flags", "plugin", "passDeviceSpecs"), chart="compatWithCPUManager"),
    Setting(
        "plugin: `migStrategy`", {"mig": {"strategy": "mixed"}}, CONFIG, ("flags", "migStrategy"), "mixed", pool=True
    ),
    Setting(
        "plugin: `config.map`, timeSlicing",
        {"sharing": {"strategy": "time-slicing", "replicas": 4}},
        CONFIG,
        ("sharing", "timeSlicing", "resources"),
        [{"name": "nvidia.com/gpu", "replicas": 4}],
        pool=True,
        note="several configurations are several node pools",
    ),
    Setting(
        "plugin: `config.map`, mps",
        {"sharing": {"strategy": "mps", "replicas": 4}},
        CONFIG,
        ("sharing", "mps", "resources"),
        [{"name": "nvidia.com/gpu", "replicas": 4}],
        pool=True,
    ),
    Setting(
        "plugin: `config.map`, renameByDefault",
        {"sharing": {"strategy": "time-slicing", "replicas": 4, "renameByDefault": True}},
        CONFIG,
        ("sharing", "timeSlicing", "renameByDefault"),
        value=True,
        pool=True,
    ),
    # GFD
    Setting("plugin: `gfd.enabled`", {"gpuFeatureDiscovery": {"enabled": True}}, GFD, ("kind",), "DaemonSet"),
    Setting(
        "GFD: `sleepInterval`",
        {"gpuFeatureDiscovery": {"sleepInterval": "5m"}},
        GFD,
        (*_CONTAINER, "env", ANY),
        {"name": "GFD_SLEEP_INTERVAL", "value": "5m"},
    ),
    # The exporter
    _exporter("resources", _RESOURCES, (*_CONTAINER, "resources")),
    _exporter("env", [_VARIABLE], (*_CONTAINER, "env", ANY), _VARIABLE, chart="extraEnv"),
    _exporter("priorityClassName", "gpu-metrics", (*_SPEC, "priorityClassName")),
    _exporter("securityContext", _SECURITY, (*_CONTAINER, "securityContext")),
    _monitor("interval", "1m", (*_ENDPOINT, "interval")),
    _monitor("scrapeTimeout", "5s", (*_ENDPOINT, "scrapeTimeout")),
    _monitor("honorLabels", value=True, path=(*_ENDPOINT, "honorLabels")),
    _monitor("relabelings", [_RELABEL], (*_ENDPOINT, "relabelings", ANY), _RELABEL),
    _monitor("metricRelabelings", [_DROP], (*_ENDPOINT, "metricRelabelings", ANY), _DROP),
    Setting(
        "exporter: `serviceMonitor.additionalLabels`",
        {"dcgmExporter": {"serviceMonitor": {"enabled": True, "additionalLabels": {"release": "prometheus"}}}},
        MONITOR,
        ("metadata", "labels", "release"),
        "prometheus",
    ),
    Setting(
        "namespace: Pod Security labels and others",
        {"namespace": {"name": "gpu", "labels": {"team": "ml"}}},
        "Namespace/gpu",
        ("metadata", "labels", "team"),
        "ml",
    ),
)


@dataclass(frozen=True)
class Missing:
    """A setting of a chart that has no counterpart, why, and what to do instead. `here` must stay refused."""

    chart: str
    here: dict[str, Any]
    why: str


MISSING = (
    Missing(
        "`affinity`, `nodeSelector` of one component",
        {"devicePlugin": {"affinity": {}}},
        "A node pool says once which nodes are meant: components that disagree are how stacks end with 0 pods.",
    ),
    Missing(
        "plugin: `config.default`, `config.fallbackStrategies`",
        {"devicePlugin": {"config": {"default": "a"}}},
        "Each node pool has one configuration, so that no sidecar and no node label has to choose.",
    ),
    Missing(
        "plugin: `config.name`, a ConfigMap of one's own",
        {"devicePlugin": {"config": {"name": "a"}}},
        "It would be edited without rolling the pods; gpuc generates it, with the hash of its content in its name.",
    ),
    Missing(
        "`nameOverride`, `fullnameOverride`",
        {"devicePlugin": {"nameOverride": "a"}},
        "Names are what selectors and the runbook find objects by; two stacks in one cluster are an error anyway.",
    ),
    Missing(
        "`serviceAccount.create`, `rbac.create`",
        {"dcgmExporter": {"serviceAccount": {"create": False}}},
        "Accounts and rights are the least that works, and part of what is reviewed.",
    ),
    Missing(
        "exporter: `service.type`, `service.port`",
        {"dcgmExporter": {"service": {"type": "NodePort"}}},
        "Service and ServiceMonitor belong together; patch both where metrics must leave the cluster.",
    ),
    Missing(
        "exporter: `arguments`",
        {"dcgmExporter": {"arguments": ["-m"]}},
        "Everything that arguments set is a counter, a setting of gpuc, or a variable under `env`.",
    ),
    Missing(
        "exporter: `serviceMonitor.apiVersion`",
        {"dcgmExporter": {"serviceMonitor": {"apiVersion": "a"}}},
        "There is one version that operators serve.",
    ),
    Missing(
        "exporter: `hostNetwork`",
        {"dcgmExporter": {"hostNetwork": True}},
        "Rarely right, and easily patched: `spec.template.spec.hostNetwork` of the DaemonSet.",
    ),
    Missing(
        "`extraHostVolumes`, `extraVolumes`",
        {"dcgmExporter": {"extraVolumes": []}},
        "A host path is a hole in the node; one that is needed is a patch that a reviewer sees.",
    ),
    Missing(
        "`podSecurityContext`",
        {"devicePlugin": {"podSecurityContext": {}}},
        "Each pod has one container; its `securityContext` says the same.",
    ),
)
