"""Rows for pods and other objects of components."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from compiler.explain.rows import Row, row

_POD: Final = r"spec\.template\.spec\."
_CONTAINER: Final = _POD + r"(init)?[cC]ontainers\[[^\]]*\]\."
_CONFIG: Final = "k8s-device-plugin, api/config/v1"
_COMPONENTS: Final = (
    "device-plugin gpu-feature-discovery dcgm-exporter mps-control-daemon node-feature-discovery node-feature-rule "
    "runtime-class namespace service-monitor dashboard prometheus-rules"
)
_GPU: Final = "device-plugin gpu-feature-discovery dcgm-exporter mps-control-daemon"


PODS: Final[Sequence[Row]] = (
    row(
        "node-feature-discovery",
        _POD + r"tolerations.*",
        "pool:taints own:tolerations",
        "NFD's worker runs on every node with a GPU, whatever its taints: without it no label, and no plugin pod.",
        "nvidia.com/gpu.present comes from NFD's worker by way of the NodeFeatureRule",
    ),
    row(
        _GPU,
        _POD + r"tolerations.*",
        "pool:taints own:tolerations",
        "The pool's nodes carry these taints; a pod without the toleration would never run there.",
    ),
    row(
        _GPU,
        _POD + r"affinity.*",
        "pool:nodes pool:nodeSelector",
        "Keeps the pools apart: nvidia.com/gpu.present alone would put every pool's pods on every GPU node. "
        "matchFields "
        "takes one value, so named nodes get a term each.",
        "k8s.io/kubernetes, pkg/apis/core/validation",
    ),
    row(
        _GPU,
        _POD + r"nodeSelector.*",
        "stack:nodeFeatureDiscovery",
        "Only nodes with a GPU: gpuc's NodeFeatureRule makes nvidia.com/gpu.present of NFD's PCI vendor 10de.",
    ),
    row(
        _GPU,
        _POD + r"runtimeClassName",
        "stack:runtimeClass.name",
        "Injects the driver's libraries (NVML) into the container; on Talos the only way to them.",
    ),
    row(
        "*",
        _POD + r"priorityClassName",
        "own:priorityClassName",
        "As important as the node's own services: without it a full node evicts the plugin, and the GPUs with it.",
    ),
    row("*", _POD + r"imagePullSecrets.*", "own:imagePullSecrets stack:imagePullSecrets", "For a private registry."),
    row(
        "*",
        r"spec\.updateStrategy.*",
        "own:updateStrategy",
        "How pods are replaced; a surge would have two on one node.",
    ),
    row(
        "gpu-feature-discovery mps-control-daemon",
        _CONTAINER + r"image",
        "own:image.repository own:image.tag stack:devicePlugin.image.repository stack:devicePlugin.version",
        "The device plugin's image holds this program too, so that all of them are of one release.",
    ),
    row(
        "*",
        _CONTAINER + r"image",
        "own:image.repository own:image.tag own:version stack:registryPrefix",
        "Repository and version; settings, rights and CRDs that gpuc compiles belong to this release.",
    ),
    row("*", _CONTAINER + r"imagePullPolicy", "own:image.pullPolicy", "A released tag never changes: pulled once."),
    row(
        "dcgm-exporter",
        _CONTAINER + r"resources.*",
        "own:resources",
        "The exporter grew out of small limits in many clusters. It never requests a GPU: that would take a slice.",
    ),
    row(
        "*",
        _CONTAINER + r"resources.*",
        "own:resources",
        "Requests keep the pod on a full node, limits keep it from growing.",
    ),
    row(
        "dcgm-exporter",
        _CONTAINER + r"securityContext.*",
        "own:securityContext own:profiling",
        "The least that works: SYS_ADMIN is for profiling fields only, which GeForce cards do not have.",
    ),
    row(
        "device-plugin",
        _CONTAINER + r"securityContext.*",
        "own:securityContext own:passDeviceSpecs pool:mig.strategy own:deviceListStrategy",
        "The least that works: MIG and volume-mounts need SYS_ADMIN, device nodes need privileged; nothing else does.",
    ),
    row("*", _CONTAINER + r"securityContext.*", "own:securityContext", "The least that works for this program."),
    row(
        "device-plugin gpu-feature-discovery mps-control-daemon",
        _CONTAINER + r"env\[CONFIG_FILE\].*",
        "pool:sharing",
        "All three programs read one file, so that they cannot disagree about sharing.",
        _CONFIG,
    ),
    row(
        "*",
        _CONTAINER + r"env\[NVIDIA_VISIBLE_DEVICES\].*",
        "own:env stack:runtimeClass",
        "The program sees every card of its node without requesting one.",
    ),
    row(
        "*",
        _CONTAINER + r"env\[NVIDIA_DRIVER_CAPABILITIES\].*",
        "own:env stack:runtimeClass",
        "`utility` brings NVML, `compute` CUDA; the container toolkit mounts what is named.",
    ),
    row(
        "*",
        _CONTAINER + r"env\[NVIDIA_MIG_MONITOR_DEVICES\].*",
        "pool:mig.strategy",
        "Lets the program see MIG instances.",
    ),
    row(
        "dcgm-exporter",
        _CONTAINER
        + r"env\[(KUBERNETES_VIRTUAL_GPUS|DCGM_EXPORTER_KUBERNETES_ENABLE_POD_UID)\].*|"
        + _POD
        + r"(hostPID|automountServiceAccountToken)",
        "pool:sharing own:podAttribution",
        "The card is shared: what a pod uses is what its processes use, told by their cgroup's pod UID.",
        "dcgm-exporter, internal/pkg/transformation",
    ),
    row(
        "dcgm-exporter",
        _CONTAINER + r"env\[DCGM_EXPORTER_KUBERNETES\].*",
        "own:podAttribution",
        "Says which pods use a card.",
    ),
    row(
        "dcgm-exporter",
        _CONTAINER + r"env\[DCGM_EXPORTER_INTERVAL\].*",
        "own:serviceMonitor.interval",
        "In milliseconds, as often as it is scraped: left alone, two scrapes see the same values.",
    ),
    row(
        "dcgm-exporter",
        _CONTAINER + r"env\[NVIDIA_RESOURCE_NAMES\].*",
        "pool:sharing",
        "Shared resources have a name of their own here, which the exporter does not know by itself.",
    ),
    row(
        "gpu-feature-discovery",
        _CONTAINER + r"env\[GFD_SLEEP_INTERVAL\].*",
        "own:sleepInterval",
        "Time between two looks.",
    ),
    row(
        "gpu-feature-discovery",
        _CONTAINER + r"env\[GFD_NO_TIMESTAMP\].*",
        "own:noTimestamp",
        "A timestamp changes a label with every restart.",
    ),
    row("*", _CONTAINER + r"env.*", "own:env", "What the program needs to know; a variable of yours replaces it."),
    row(
        "dcgm-exporter",
        _CONTAINER + r"(args|volumeMounts).*|" + _POD + r"volumes.*",
        "own:counters own:podAttribution",
        "The counters' file, and the kubelet's socket by which pods are told from each other.",
    ),
    row(
        "device-plugin",
        _CONTAINER + r"volumeMounts.*|" + _POD + r"volumes.*",
        "own:deviceListStrategy",
        "The kubelet's socket for device plugins, the configuration, and what the device list strategy needs.",
    ),
    row(
        "*",
        _CONTAINER
        + r"(volumeMounts|args|command|ports|livenessProbe|readinessProbe|startupProbe|name).*|"
        + _POD
        + r"(volumes|serviceAccountName|hostPID|dnsPolicy|hostNetwork|enableServiceLinks).*",
        "own:",
        "How the program is started, watched and given what it reads, as its release wants it.",
    ),
    row(
        "dcgm-exporter",
        r"spec\.(type|ports.*)",
        "own:",
        "One Service for the exporters of all pools, on the port that they serve; the ServiceMonitor finds it.",
    ),
    row("node-feature-discovery", r"spec\.replicas", "own:", "One is enough: it is not in the way of any pod."),
    row(
        "node-feature-discovery",
        _POD + r"affinity.*",
        "own:",
        "Prefers control-plane nodes, as upstream's chart does, to leave the others to workloads.",
    ),
    row(
        "*",
        r"spec\.template(\.spec(\.(init)?[cC]ontainers(\[[^\]]*\])?)?)?",
        "own:",
        "The pod: what differs from pool to pool is in the pool's patch, everything else in the base.",
    ),
    row(
        f"{_GPU} node-feature-discovery",
        r"spec\.(selector|template\.metadata).*",
        "own:labels own:annotations own:",
        "Labels by which the workload finds its pods, and no others; labels of yours come on top.",
    ),
)
OBJECTS: Final[Sequence[Row]] = (
    row("namespace", r"metadata\.name", "stack:namespace", "The namespace of everything in the stack that has one."),
    row(
        "namespace",
        r"metadata\.labels\.pod-security.*",
        "stack:namespace",
        "Pod Security `privileged`: the stack's pods mount paths of the node, and Talos enforces `baseline` otherwise.",
        "kubernetes.io, Pod Security Standards",
    ),
    row(
        "*",
        r"metadata\.annotations\.(argocd\.argoproj\.io/sync-options|kustomize\.toolkit\.fluxcd\.io/prune)",
        "stack:namespace",
        "Never pruned: deleting it would take everything in it, or every object of the kind, along.",
    ),
    row(
        "*",
        r"metadata\.annotations\.argocd\.argoproj\.io/sync-wave",
        "stack:delivery.argocd",
        "Argo CD's order of kinds knows neither RuntimeClass nor CRDs' objects: waves put them in front.",
    ),
    row(
        "*",
        r"metadata\.annotations\.kustomize\.toolkit\.fluxcd\.io/substitute",
        "stack:delivery.flux",
        "Keeps Flux from replacing ${...} in what is no variable of Flux's.",
    ),
    row(
        _COMPONENTS,
        r"metadata(\.labels(\..*)?|\.name|\.annotations(\..*)?)?",
        "own:",
        "Names and labels are gpuc's; selectors refer to them.",
    ),
    row(
        _COMPONENTS + " component",
        r"metadata\.namespace|.*\.namespace|.*matchNames.*",
        "stack:namespace",
        "Everything of the stack is in one namespace.",
    ),
    row(
        "runtime-class",
        r"handler",
        "stack:runtimeClass.handler",
        "The handler that NVIDIA's container toolkit registers with the container runtime.",
    ),
    row(
        _COMPONENTS,
        r"apiVersion|kind|type|roleRef.*|subjects.*|rules.*|automountServiceAccountToken",
        "own:",
        "Part of what the component needs: objects, and the rights of its account, no more than it uses.",
    ),
)
