"""A healthy cluster as kubectl shows it: what is compiled, with the statuses that controllers and kubelets add."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compiler.components.placement import pool_selector
from compiler.doctor.expected import Expected, expected
from compiler.doctor.links.gpu_labels import wanted_labels
from compiler.doctor.queries import queries
from compiler.doctor.snapshot import kind_of
from compiler.model.advertised import advertised
from compiler.model.environment import Environment
from compiler.pipeline import build
from tests.inputs.project import OVERLAY, STACK, edited, write

Obj = dict[str, Any]
NAMESPACE = "nvidia-gpu-operator"
NODE = "k8s-worker4"
GPU = "nvidia.com/gpu"
PLUGIN = "nvidia-device-plugin-worker4"
GPU_IMAGE = "901b9afcf2f7eda57991690fc5ca00414740cc4ee4ad516109bcc58beff1b829"
BASE_IMAGE = "88d1f7a5c4f1d3aba7df787c448c1d3d008ed29cfb34af53fa0df4336a56040b"
REVISION = "main@sha1:5f2b6c1d9e8a7b3c4d5e6f708192a3b4c5d6e7f8"
PROJECT = {
    STACK: edited(STACK, "dcgmExporter:\n", "delivery: {flux: {}}\ndcgmExporter:\n"),
    OVERLAY: edited(
        OVERLAY,
        "    mig: {strategy: none}\n",
        "    mig: {strategy: none}\n    talos:\n      imagePlatform: nocloud\n      extensions: "
        "[siderolabs/iscsi-tools, siderolabs/qemu-guest-agent, siderolabs/util-linux-tools]\n",
    ),
}
_GFD = {
    "nvidia.com/cuda.driver-version.full": "595.58.03",
    "nvidia.com/gpu.count": "1",
    "nvidia.com/gpu.family": "blackwell",
    "nvidia.com/gpu.memory": "16303",
    "nvidia.com/gpu.product": "NVIDIA-GeForce-RTX-5070-Ti-SHARED",
    "nvidia.com/gpu.replicas": "5",
    "nvidia.com/gpu.sharing-strategy": "time-slicing",
    "nvidia.com/mig.capable": "false",
}
_DAEMON_SETS = ("nfd-worker", PLUGIN, "gpu-feature-discovery-worker4", "dcgm-exporter-worker4")
LOG = f"""\
I1130 20:11:02.100310       1 main.go:235] "Starting NVIDIA Device Plugin" version=<
\tv0.20.0
 >
I1130 20:11:02.412772       1 server.go:198] Starting GRPC server for '{GPU}'
I1130 20:11:02.415503       1 server.go:148] Registered device plugin for '{GPU}' with Kubelet
"""


@dataclass
class Cluster:
    """Objects of a cluster, to be damaged by a test and saved as `kubectl get -o json` would."""

    environment: Environment
    expected: Expected
    objects: list[Obj]
    groups: list[str]
    logs: dict[str, str] = field(default_factory=dict)

    def get(self, kind: str, name: str) -> Obj:
        """Return the one object of a kind and name."""
        (found,) = (obj for obj in self.objects if obj["kind"] == kind and obj["metadata"]["name"] == name)
        return found

    def drop(self, kind: str, name: str) -> None:
        """Delete an object."""
        self.objects.remove(self.get(kind, name))

    def pod_of(self, daemon_set: str) -> Obj:
        """Return the pod of a DaemonSet on the GPU node."""
        return self.get("Pod", f"{daemon_set}-{NODE[-1]}x7k2")

    def lose_pod(self, daemon_set: str, desired: int = 0) -> None:
        """Take a DaemonSet's pod off the GPU node."""
        self.objects.remove(self.pod_of(daemon_set))
        status = self.get("DaemonSet", daemon_set)["status"]
        status["desiredNumberScheduled"] = desired

    def save(self, folder: Path) -> Path:
        """Write the files that the commands of `gpuc doctor --what-to-save` make."""
        folder.mkdir(parents=True, exist_ok=True)
        groups = {"kind": "APIGroupList", "apiVersion": "v1", "groups": [{"name": name} for name in self.groups]}
        (folder / "apis.json").write_text(json.dumps(groups), encoding="utf-8")
        for query in queries(self.environment):
            found = [obj for obj in self.objects if kind_of(obj) == query.kind]
            served = not query.kind.group or query.kind.group in self.groups
            answer = {"apiVersion": "v1", "items": found, "kind": "List", "metadata": {"resourceVersion": ""}}
            (folder / query.file).write_text(json.dumps(answer, indent=1) if served else "", encoding="utf-8")
        for name, text in self.logs.items():
            (folder / name).write_text(text, encoding="utf-8")
        return folder


def project(root: Path) -> Path:
    """Write worker4's inputs, with Flux and its Talos image."""
    return write(root, PROJECT)


def healthy(root: Path) -> Cluster:
    """Return the cluster on which the project below `root` works as compiled."""
    built = build(root)
    (environment,) = built.project.environments
    wanted = expected(environment, built.tree)
    objects = [_applied(obj) for obj in (*wanted.stack, *wanted.monitoring, *wanted.flux)]
    objects += [_node("k8s-control1", "192.168.1.220", control_plane=True), _node("k8s-worker1", "192.168.1.221")]
    objects.append(_gpu_node())
    templates = {obj["metadata"]["name"]: obj for obj in wanted.stack if obj["kind"] == "DaemonSet"}
    objects += [_pod(templates[name], NODE) for name in _DAEMON_SETS]
    objects += _features(NODE)
    objects.append({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system"}})
    objects.append(
        {
            "apiVersion": "source.toolkit.fluxcd.io/v1",
            "kind": "GitRepository",
            "metadata": {"name": "flux-system", "namespace": "flux-system", "generation": 1},
            "status": {"artifact": {"revision": REVISION}},
        }
    )
    objects.append(gpu_pod("ollama", "ollama", NODE))
    groups = {kind_of(obj).group for obj in objects} - {""}
    return Cluster(environment, wanted, objects, sorted(groups), {"device-plugin.log": prefixed(LOG)})


def healthy_like(root: Path) -> Cluster:
    """Return a cluster on which any project works as compiled: several pools, MIG, MPS, somebody else's parts."""
    built = build(root)
    environment = built.project.environments[0]
    wanted = expected(environment, built.tree)
    pools = environment.overlay.node_pools
    objects = [_applied(obj) for obj in (*wanted.stack, *wanted.monitoring, *wanted.flux, *wanted.argocd)]
    for index, pool in enumerate(pools):
        for name in [node.name for node in pool.nodes] or [f"chosen-{pool.name}"]:
            node = _node(name, f"192.168.2.{index + 1}")
            own = {"nvidia.com/mps.capable": "true", **pool.node_selector, **wanted_labels(pool)}
            node["metadata"]["labels"] |= pool_selector(pool, pools) | own
            node["spec"]["taints"] = [taint.model_dump(mode="json") for taint in pool.taints]
            for part in ("capacity", "allocatable"):
                node["status"][part] |= {key: str(count) for key, count in (advertised(pool) or {}).items()}
            node["status"]["runtimeHandlers"].append({"name": environment.stack.runtime_class.handler})
            suffix = f"-{pool.name}"
            sets = [obj for obj in wanted.stack if obj["kind"] == "DaemonSet"]
            sets = [obj for obj in sets if obj["metadata"]["name"].endswith((suffix, "nfd-worker"))]
            objects += [node, *(_pod(one, name) for one in sets), *_features(name)]
    for obj in objects:
        if obj["kind"] == "DaemonSet":
            obj["status"]["desiredNumberScheduled"] = len([one for one in objects if one["kind"] == "Node"])
    if environment.stack.namespace_settings.managed == "external":
        privileged = {"pod-security.kubernetes.io/enforce": "privileged"}
        meta = {"name": environment.stack.namespace_name, "labels": privileged}
        objects.append({"apiVersion": "v1", "kind": "Namespace", "metadata": meta})
    if environment.stack.runtime_class.managed == "external":
        runtime = environment.stack.runtime_class
        meta = {"name": runtime.name}
        objects.append(
            {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": meta, "handler": runtime.handler}
        )
    groups = {kind_of(obj).group for obj in objects} | {"nfd.k8s-sigs.io"} - {""}
    return Cluster(environment, wanted, objects, sorted(groups))


def prefixed(log: str) -> str:
    """Return a log as `kubectl logs --prefix` prints it."""
    return "".join(f"[pod/{PLUGIN}-4x7k2/nvidia-device-plugin] {line}\n" for line in log.splitlines())


def gpu_pod(namespace: str, name: str, node: str | None = None, *, count: int = 1, **spec: Any) -> Obj:
    """Return an application's pod that asks for slices; without a node it waits for one."""
    tolerations = [{"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"}]
    placed = {"nodeName": node} if node else {}
    container = {"name": "main", "image": "registry.example.com/llm:1", "resources": {"limits": {GPU: str(count)}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"containers": [container], "tolerations": tolerations, "runtimeClassName": "nvidia", **placed, **spec},
        "status": _running() if node else {"phase": "Pending"},
    }


def event(kind: str, namespace: str, name: str, reason: str, message: str) -> Obj:
    """Return a warning event about an object."""
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{name}.17d2", "namespace": namespace},
        "involvedObject": {"kind": kind, "namespace": namespace, "name": name},
        "reason": reason,
        "message": message,
        "type": "Warning",
        "lastTimestamp": "2026-01-12T20:11:02Z",
    }


def _applied(obj: Obj) -> Obj:
    """Return an object as it is in the cluster once its controller has seen it."""
    live = copy.deepcopy(obj)
    live["metadata"] |= {"generation": 1, "creationTimestamp": "2026-01-12T20:10:00Z", "resourceVersion": "4711"}
    if live["kind"] == "DaemonSet":
        counts = ("currentNumberScheduled", "desiredNumberScheduled", "numberReady", "numberAvailable")
        live["status"] = {"observedGeneration": 1, "numberMisscheduled": 0, **dict.fromkeys(counts, 1)}
    elif live["kind"] == "Deployment":
        live["status"] = {"observedGeneration": 1, "replicas": 1, "readyReplicas": 1, "availableReplicas": 1}
    elif live["kind"] == "Application":
        state = {"status": "Synced", "revision": REVISION}
        live["status"] = {"sync": state, "health": {"status": "Healthy"}, "operationState": {"phase": "Succeeded"}}
    elif live["kind"] == "Kustomization":
        ready = {"type": "Ready", "status": "True", "reason": "ReconciliationSucceeded", "observedGeneration": 1}
        ready["message"] = f"Applied revision: {REVISION}"
        live["status"] = {"lastAppliedRevision": REVISION, "observedGeneration": 1, "conditions": [ready]}
    return live


def _node(name: str, address: str, *, control_plane: bool = False) -> Obj:
    taint = {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}
    amounts = {"cpu": "16", "memory": "65536Mi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}, "annotations": {}},
        "spec": {"taints": [taint]} if control_plane else {},
        "status": {
            "addresses": [{"type": "InternalIP", "address": address}, {"type": "Hostname", "address": name}],
            "capacity": dict(amounts),
            "allocatable": dict(amounts),
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
            "nodeInfo": {"osImage": "Talos (v1.13.3)", "kubeletVersion": "v1.34.2"},
            "runtimeHandlers": [{"name": ""}, {"name": "runc"}],
        },
    }


def _gpu_node() -> Obj:
    node = _node(NODE, "192.168.1.224")
    node["metadata"]["labels"] |= {"nvidia.com/gpu.present": "true", **_GFD}
    node["metadata"]["annotations"] |= {"extensions.talos.dev/schematic": GPU_IMAGE}
    node["spec"]["taints"] = [{"key": "dedicated", "value": "ai", "effect": "NoSchedule"}]
    node["status"]["capacity"][GPU] = node["status"]["allocatable"][GPU] = "5"
    node["status"]["runtimeHandlers"].append({"name": "nvidia"})
    return node


def _running() -> Obj:
    ready = [{"type": kind, "status": "True"} for kind in ("PodScheduled", "Ready")]
    status = {"name": "main", "ready": True, "restartCount": 0, "state": {"running": {}}}
    return {"phase": "Running", "conditions": ready, "containerStatuses": [status]}


def _pod(daemon_set: Obj, node: str) -> Obj:
    meta, template = daemon_set["metadata"], copy.deepcopy(daemon_set["spec"]["template"])
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"{meta['name']}-{node[-1]}x7k2",
            "namespace": meta["namespace"],
            "labels": template["metadata"]["labels"],
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": meta["name"]}],
        },
        "spec": {**template["spec"], "nodeName": node},
        "status": _running(),
    }


def _features(node: str) -> Iterable[Obj]:
    device = {"attributes": {"vendor": "10de", "class": "0300", "device": "2c05"}}
    found = {node: {"instances": {"pci.device": {"elements": [device]}}}, f"nvidia-features-for-{node}": {}}
    for name, features in found.items():
        yield {
            "apiVersion": "nfd.k8s-sigs.io/v1alpha1",
            "kind": "NodeFeature",
            "metadata": {
                "name": name,
                "namespace": NAMESPACE,
                "labels": {"nfd.node.kubernetes.io/node-name": node},
            },
            "spec": {"features": features, "labels": {}},
        }


Damage = Callable[[Cluster], None]
