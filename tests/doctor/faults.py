"""What goes wrong on GPU clusters, each with the link that it breaks and the command that comes next."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.doctor.cluster import (
    BASE_IMAGE,
    GPU,
    GPU_IMAGE,
    NAMESPACE,
    NODE,
    PLUGIN,
    Cluster,
    event,
    gpu_pod,
    prefixed,
)

RECONCILE = "flux reconcile kustomization gpu-stack -n flux-system --with-source"
RECONCILE_MONITORING = "flux reconcile kustomization gpu-monitoring -n flux-system --with-source"
UPGRADE = f"talosctl upgrade --nodes 192.168.1.224 --image factory.talos.dev/nocloud-installer/{GPU_IMAGE}:v1.13.3"
NVML = (
    'E1130 20:11:02.100310       1 main.go:183] "error starting plugins" err="failed to create resource manager: '
    'Failed to initialize NVML: Driver Not Loaded"\n'
)


@dataclass(frozen=True)
class Fault:
    """Damage to a healthy cluster; `link` is the first that breaks, with a part of its cause and one command."""

    damage: Callable[[Cluster], object]
    link: str
    cause: str
    command: str


def _not_ready(cluster: Cluster) -> None:
    cluster.get("Node", NODE)["status"]["conditions"] = [
        {"type": "Ready", "status": "Unknown", "message": "Kubelet stopped posting node status."}
    ]


def _crash(cluster: Cluster, log: str) -> None:
    pod = cluster.pod_of(PLUGIN)
    pod["status"]["conditions"] = [{"type": "Ready", "status": "False"}, {"type": "PodScheduled", "status": "True"}]
    pod["status"]["containerStatuses"] = [
        {
            "name": "nvidia-device-plugin",
            "ready": False,
            "restartCount": 7,
            "state": {"waiting": {"reason": "CrashLoopBackOff"}},
            "lastState": {"terminated": {"reason": "Error", "exitCode": 1}},
        }
    ]
    cluster.get("Node", NODE)["status"]["allocatable"].pop(GPU)
    cluster.logs = {"device-plugin-previous.log": prefixed(log)} if log else {}


def _nvml_untold(cluster: Cluster) -> None:
    """The plugin does not find the driver, and nothing on the node says which image it booted."""
    _crash(cluster, NVML)
    cluster.get("Node", NODE)["metadata"]["annotations"] = {}


def _no_handler(cluster: Cluster) -> None:
    cluster.get("Node", NODE)["metadata"]["annotations"] = {}
    cluster.get("Node", NODE)["status"]["runtimeHandlers"].pop()


def _kept_off(cluster: Cluster) -> None:
    """NFD's worker lost its toleration, and no label is left to bring the plugin."""
    del cluster.get("DaemonSet", "nfd-worker")["spec"]["template"]["spec"]["tolerations"]
    cluster.lose_pod("nfd-worker")
    cluster.lose_pod(PLUGIN)
    del cluster.get("Node", NODE)["metadata"]["labels"]["nvidia.com/gpu.present"]


def _no_card(cluster: Cluster) -> None:
    cluster.get("NodeFeature", NODE)["spec"]["features"]["instances"]["pci.device"]["elements"] = [
        {"attributes": {"vendor": "1234", "class": "0300"}}
    ]
    del cluster.get("Node", NODE)["metadata"]["labels"]["nvidia.com/gpu.present"]
    cluster.lose_pod(PLUGIN)


def _no_features(cluster: Cluster) -> None:
    cluster.drop("NodeFeature", NODE)
    cluster.drop("NodeFeature", f"nvidia-features-for-{NODE}")


def _no_rule(cluster: Cluster) -> None:
    cluster.drop("NodeFeatureRule", "nvidia-gpu-present")
    del cluster.get("Node", NODE)["metadata"]["labels"]["nvidia.com/gpu.present"]


def _none_wanted(cluster: Cluster) -> None:
    cluster.lose_pod(PLUGIN)
    cluster.get("DaemonSet", PLUGIN)["spec"]["template"]["spec"]["nodeSelector"] = {"pci-10de.present": "true"}


def _old_config(cluster: Cluster) -> None:
    volumes = cluster.get("DaemonSet", PLUGIN)["spec"]["template"]["spec"]["volumes"]
    volumes[-1]["configMap"]["name"] = "nvidia-device-plugin-config-worker4-f8m9d7c4k2"


def _config_edited(cluster: Cluster) -> None:
    (config,) = (
        obj
        for obj in cluster.objects
        if obj["kind"] == "ConfigMap" and obj["metadata"]["name"].startswith("nvidia-device-plugin-config")
    )
    config["data"]["config.yaml"] = config["data"]["config.yaml"].replace("replicas: 5", "replicas: 8")


def _second_plugin(cluster: Cluster) -> None:
    other = copy.deepcopy(cluster.get("DaemonSet", PLUGIN))
    other["metadata"] |= {"name": "nvdp-nvidia-device-plugin", "namespace": "nvidia"}
    cluster.objects.append(other)


def _second_nfd(cluster: Cluster) -> None:
    other = copy.deepcopy(cluster.get("DaemonSet", "nfd-worker"))
    other["metadata"]["namespace"] = "node-feature-discovery"
    cluster.objects.append(other)


def _waits(said: str, **spec: Any) -> Callable[[Cluster], None]:
    def damage(cluster: Cluster) -> None:
        pod = gpu_pod("comfyui", "comfyui-0", **spec)
        pod["status"]["conditions"] = [
            {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": said}
        ]
        cluster.objects.append(pod)

    return damage


def _full(cluster: Cluster) -> None:
    cluster.objects += [gpu_pod("kubeflow-user", f"trial-{index}", NODE) for index in range(4)]
    _waits("0/3 nodes are available: 1 Insufficient nvidia.com/gpu.")(cluster)


def _quota(cluster: Cluster) -> None:
    said = 'pods "trial-7" is forbidden: exceeded quota: gpu-worker4, requested: requests.nvidia.com/gpu=1, used: 2'
    cluster.objects.append(event("Job", "kubeflow-user", "trial-7", "FailedCreate", said))


def _no_crd(cluster: Cluster) -> None:
    cluster.drop("ServiceMonitor", "dcgm-exporter")
    cluster.groups.remove("monitoring.coreos.com")
    _flux_says(cluster, "gpu-monitoring", "ReconciliationFailed", 'no matches for kind "ServiceMonitor"')


def _flux_says(cluster: Cluster, name: str, reason: str, message: str) -> None:
    (ready,) = cluster.get("Kustomization", name)["status"]["conditions"]
    ready |= {"status": "False", "reason": reason, "message": message}


def _behind(cluster: Cluster) -> None:
    cluster.get("GitRepository", "flux-system")["status"]["artifact"]["revision"] = "main@sha1:0123456789abcdef"


def _sandbox(cluster: Cluster) -> None:
    _crash(cluster, "")
    cluster.pod_of(PLUGIN)["status"]["containerStatuses"] = []
    said = 'Failed to create pod sandbox: rpc error: no runtime for "nvidia" is configured'
    cluster.objects.append(event("Pod", NAMESPACE, f"{PLUGIN}-4x7k2", "FailedCreatePodSandBox", said))


def _set(cluster: Cluster, count: str) -> None:
    cluster.get("Node", NODE)["status"]["allocatable"][GPU] = count


def _label(cluster: Cluster, key: str, value: str) -> None:
    cluster.get("Node", NODE)["metadata"]["labels"][key] = value


def _nothing_applied(cluster: Cluster) -> None:
    """Flux was never pointed at the stack."""
    cluster.objects = [obj for obj in cluster.objects if obj["kind"] in ("Node", "Namespace", "RuntimeClass")]
    cluster.groups = ["apps", "node.k8s.io", "kustomize.toolkit.fluxcd.io", "source.toolkit.fluxcd.io"]


def _no_nfd_crds(cluster: Cluster) -> None:
    cluster.objects = [obj for obj in cluster.objects if not obj["kind"].startswith("NodeFeature")]
    cluster.groups.remove("nfd.k8s-sigs.io")


def _master_down(cluster: Cluster) -> None:
    cluster.get("Deployment", "nfd-master")["status"] = {"observedGeneration": 1, "unavailableReplicas": 1}
    pod = gpu_pod(NAMESPACE, "nfd-master-5f7d8c9b4-2xk9p")
    said = "0/3 nodes are available: 3 node(s) had untolerated taint"
    pod["status"]["conditions"] = [{"type": "PodScheduled", "status": "False", "message": said}]
    pod["spec"]["containers"] = []
    cluster.objects.append(pod)


def _waiting(reason: str) -> Callable[[Cluster], None]:
    def damage(cluster: Cluster) -> None:
        _crash(cluster, "")
        (status,) = cluster.pod_of(PLUGIN)["status"]["containerStatuses"]
        status |= {"state": {"waiting": {"reason": reason}}, "lastState": {}}

    return damage


def _out_of_memory(cluster: Cluster) -> None:
    pod = cluster.pod_of("dcgm-exporter-worker4")
    pod["status"]["conditions"] = [{"type": "Ready", "status": "False"}]
    pod["status"]["containerStatuses"] = [{"name": "x", "lastState": {"terminated": {"reason": "OOMKilled"}}}]


def _not_injected(cluster: Cluster) -> None:
    line = "failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND"
    _crash(cluster, line)
    del cluster.pod_of(PLUGIN)["spec"]["runtimeClassName"]


def _never_made(cluster: Cluster) -> None:
    cluster.lose_pod(PLUGIN, desired=1)
    said = "Error creating: insufficient quota to match these scopes: [{PriorityClass In [system-node-critical]}]"
    cluster.objects.append(event("DaemonSet", NAMESPACE, PLUGIN, "FailedCreate", said))


def _cordoned(cluster: Cluster) -> None:
    cluster.get("Node", NODE)["spec"]["unschedulable"] = True
    _waits("0/3 nodes are available: 1 node(s) were unschedulable.")(cluster)


def _other_resource(cluster: Cluster) -> None:
    _waits("Insufficient nvidia.com/gpu.shared")(cluster)
    cluster.get("Pod", "comfyui-0")["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu.shared": 1}}


def _refused(cluster: Cluster) -> None:
    pod = gpu_pod("comfyui", "comfyui-0", NODE, count=2)
    pod["status"] = {"phase": "Failed", "reason": "UnexpectedAdmissionError", "message": "maximum request size is 1"}
    cluster.objects.append(pod)


def _older_pod(cluster: Cluster) -> None:
    cluster.pod_of(PLUGIN)["spec"]["volumes"][-1]["configMap"]["name"] = "nvidia-device-plugin-config-worker4-older"


def _outdated(cluster: Cluster) -> None:
    cluster.get("Kustomization", "gpu-monitoring")["metadata"]["generation"] = 2


FAULTS: dict[str, Fault] = {
    "node-missing": Fault(
        lambda c: c.drop("Node", NODE), "node", "never joined", "talosctl health --nodes 192.168.1.224"
    ),
    "node-not-ready": Fault(_not_ready, "node", "kubelet does not report", f"kubectl describe node {NODE}"),
    "taint-missing": Fault(
        lambda c: c.get("Node", NODE)["spec"].pop("taints"),
        "taints",
        "any pod may land on it",
        f"kubectl taint node {NODE} dedicated=ai:NoSchedule",
    ),
    "taint-not-tolerated": Fault(
        lambda c: c.get("Node", NODE)["spec"]["taints"].append({"key": "gpu", "value": "yes", "effect": "NoExecute"}),
        "taints",
        "stay away",
        f"kubectl taint node {NODE} gpu:NoExecute-",
    ),
    "base-image": Fault(
        lambda c: c.get("Node", NODE)["metadata"]["annotations"].update({"extensions.talos.dev/schematic": BASE_IMAGE}),
        "image",
        "without the driver",
        UPGRADE,
    ),
    "no-handler": Fault(_no_handler, "image", "not in the image", UPGRADE),
    "flux-does-not-build": Fault(
        lambda c: _flux_says(c, "gpu-stack", "BuildFailed", "kustomize build failed: no such file"),
        "delivered",
        "does not build",
        f"gpuc check && {RECONCILE}",
    ),
    "flux-suspended": Fault(
        lambda c: c.get("Kustomization", "gpu-stack")["spec"].update({"suspend": True}),
        "delivered",
        "paused",
        "flux resume kustomization gpu-stack -n flux-system",
    ),
    "namespace-missing": Fault(lambda c: c.drop("Namespace", NAMESPACE), "namespace", "deleted it", RECONCILE),
    "namespace-not-privileged": Fault(
        lambda c: c.get("Namespace", NAMESPACE)["metadata"]["labels"].pop("pod-security.kubernetes.io/enforce"),
        "namespace",
        "Pod Security refuses",
        f"kubectl label namespace {NAMESPACE} pod-security.kubernetes.io/enforce=privileged --overwrite",
    ),
    "runtime-class-missing": Fault(lambda c: c.drop("RuntimeClass", "nvidia"), "runtime-class", "refused", RECONCILE),
    "runtime-class-other-handler": Fault(
        lambda c: c.get("RuntimeClass", "nvidia").update({"handler": "runc"}),
        "runtime-class",
        "another installation",
        "kubectl delete runtimeclass nvidia",
    ),
    "nfd-worker-kept-off": Fault(_kept_off, "nfd", "does not tolerate the node's taint dedicated", RECONCILE),
    "second-nfd": Fault(
        _second_nfd,
        "nfd",
        "two masters",
        "kubectl -n node-feature-discovery get daemonset nfd-worker --show-labels",
    ),
    "no-card": Fault(_no_card, "pci-device", "not on the PCI bus", "talosctl get pcidevices --nodes 192.168.1.224"),
    "no-node-feature": Fault(
        _no_features,
        "pci-device",
        "cannot reach the API server",
        f"kubectl -n {NAMESPACE} logs -l app.kubernetes.io/component=worker --prefix --tail=50",
    ),
    "rule-missing": Fault(_no_rule, "rule", "nothing else makes", RECONCILE),
    "label-missing": Fault(
        lambda c: c.get("Node", NODE)["metadata"]["labels"].pop("nvidia.com/gpu.present"),
        "label",
        "master has not written it",
        f"kubectl -n {NAMESPACE} logs deployment/nfd-master --tail=50",
    ),
    "plugin-missing": Fault(lambda c: c.drop("DaemonSet", PLUGIN), "plugin", "deleted it", RECONCILE),
    "plugin-wants-none": Fault(_none_wanted, "plugin", "nodeSelector is not what was compiled", RECONCILE),
    "second-plugin": Fault(
        _second_plugin,
        "one-plugin",
        "registers last",
        "kubectl -n nvidia delete daemonset nvdp-nvidia-device-plugin",
    ),
    "config-not-rolled-out": Fault(
        _old_config, "plugin-config", "not applied", f"gpuc check && git status --short out && {RECONCILE}"
    ),
    "config-edited": Fault(
        _config_edited,
        "plugin-config",
        "edited on the cluster",
        f"kubectl -n {NAMESPACE} rollout restart daemonset/{PLUGIN}",
    ),
    "nvml": Fault(_nvml_untold, "plugin-pod", f"must be {GPU_IMAGE}; {BASE_IMAGE} is the image without it", UPGRADE),
    "nvml-on-the-right-image": Fault(
        lambda c: _crash(c, NVML),
        "plugin-pod",
        "machine configuration lacks them",
        "talosctl dmesg --nodes 192.168.1.224 | grep -i nvidia",
    ),
    "crash-without-log": Fault(
        lambda c: _crash(c, ""),
        "plugin-pod",
        "ends again and again",
        f"kubectl -n {NAMESPACE} logs {PLUGIN}-4x7k2 --all-containers --tail=50 --previous",
    ),
    "no-sandbox": Fault(
        _sandbox, "plugin-pod", "does not know the handler", f"kubectl -n {NAMESPACE} describe pod {PLUGIN}-4x7k2"
    ),
    "allocatable-0": Fault(lambda c: _set(c, "0"), "allocatable", "unhealthy", f"kubectl describe node {NODE}"),
    "allocatable-fewer": Fault(
        lambda c: _set(c, "1"),
        "allocatable",
        "another configuration",
        f"kubectl -n {NAMESPACE} logs {PLUGIN}-4x7k2 --tail=50",
    ),
    "allocatable-absent": Fault(
        lambda c: c.get("Node", NODE)["status"]["allocatable"].pop(GPU),
        "allocatable",
        "not registered",
        f"kubectl -n {NAMESPACE} rollout restart daemonset/{PLUGIN}",
    ),
    "another-card": Fault(
        lambda c: _label(c, "nvidia.com/gpu.product", "Tesla-T4-SHARED"),
        "gpu-labels",
        "another one than the overlay says",
        f"kubectl -n {NAMESPACE} logs daemonset/gpu-feature-discovery-worker4 --tail=50",
    ),
    "pod-without-toleration": Fault(
        _waits("1 node(s) had untolerated taint(s)", tolerations=[]),
        "pending",
        "does not tolerate dedicated=ai:NoSchedule",
        "kubectl -n comfyui describe pod comfyui-0",
    ),
    "pod-selects-another-node": Fault(
        _waits("didn't match Pod's node affinity/selector", nodeSelector={"nvidia.com/gpu.product": "Tesla-T4"}),
        "pending",
        "fits no node of pool worker4",
        "kubectl -n comfyui describe pod comfyui-0",
    ),
    "pod-asks-for-too-many": Fault(
        _waits("Insufficient nvidia.com/gpu", count=6),
        "pending",
        "6 nvidia.com/gpu of 5",
        "kubectl -n comfyui describe pod comfyui-0",
    ),
    "all-slices-taken": Fault(
        _full,
        "pending",
        "all slices are taken, by kubeflow-user/trial-0 (1)",
        f"kubectl get pods -A -o wide --field-selector=spec.nodeName={NODE}",
    ),
    "over-quota": Fault(_quota, "pending", "quota of GPUs", "kubectl -n kubeflow-user describe resourcequota"),
    "exporter-missing": Fault(
        lambda c: c.drop("DaemonSet", "dcgm-exporter-worker4"), "dcgm-exporter", "somebody deleted it", RECONCILE
    ),
    "service-monitor-missing": Fault(
        lambda c: c.drop("ServiceMonitor", "dcgm-exporter"), "scrape", "not applied", RECONCILE_MONITORING
    ),
    "no-service-monitor-crd": Fault(
        _no_crd, "scrape", "no operator", "kubectl get crd servicemonitors.monitoring.coreos.com"
    ),
    "gate-not-ready": Fault(
        lambda c: _flux_says(c, "gpu-gate", "HealthCheckFailed", "timeout waiting for: [Node/k8s-worker4]"),
        "reconciled",
        "Flux says why",
        "kubectl -n flux-system describe kustomizations.kustomize.toolkit.fluxcd.io gpu-gate",
    ),
    "flux-behind": Fault(_behind, "reconciled", "not come to it", RECONCILE),
    "nothing-applied": Fault(
        _nothing_applied, "delivered", "not pointed at", "kubectl apply --server-side -k out/flux/worker4"
    ),
    "no-nfd-crds": Fault(_no_nfd_crds, "nfd", "not applied as a whole", RECONCILE),
    "nfd-master-down": Fault(
        _master_down,
        "nfd",
        "untolerated taint",
        f"kubectl -n {NAMESPACE} describe pod -l app.kubernetes.io/component=master",
    ),
    "image-not-pulled": Fault(
        _waiting("ImagePullBackOff"),
        "plugin-pod",
        "cannot be pulled",
        f"kubectl -n {NAMESPACE} describe pod {PLUGIN}-4x7k2",
    ),
    "library-not-injected": Fault(_not_injected, "plugin-pod", "RuntimeClass of nobody, not nvidia", RECONCILE),
    "pod-never-made": Fault(
        _never_made, "plugin-pod", "insufficient quota", f"kubectl -n {NAMESPACE} describe daemonset {PLUGIN}"
    ),
    "config-in-an-older-pod": Fault(
        _older_pod, "plugin-config", "rollout has not reached it", f"kubectl -n {NAMESPACE} delete pod {PLUGIN}-4x7k2"
    ),
    "cordoned": Fault(_cordoned, "pending", "cordoned", f"kubectl uncordon {NODE}"),
    "another-resource": Fault(
        _other_resource,
        "pending",
        "it asks for nvidia.com/gpu.shared; the nodes offer nvidia.com/gpu",
        "kubectl -n comfyui describe pod comfyui-0",
    ),
    "refused-by-the-node": Fault(_refused, "pending", "more than one slice", "kubectl -n comfyui delete pod comfyui-0"),
    "exporter-out-of-memory": Fault(
        _out_of_memory,
        "dcgm-exporter",
        "memory limit is too low",
        f"kubectl -n {NAMESPACE} describe pod dcgm-exporter-worker4-4x7k2",
    ),
    "gate-suspended": Fault(
        lambda c: c.get("Kustomization", "gpu-gate")["spec"].update({"suspend": True}),
        "reconciled",
        "paused",
        "flux resume kustomization gpu-gate -n flux-system",
    ),
    "gate-missing": Fault(
        lambda c: c.drop("Kustomization", "gpu-gate"),
        "reconciled",
        "not pointed at",
        "kubectl apply --server-side -k out/flux/worker4",
    ),
    "flux-has-not-looked": Fault(_outdated, "reconciled", "controller is down", RECONCILE_MONITORING),
}
