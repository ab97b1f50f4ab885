"""Proves the harness itself with a few hand-written manifests, so that a red run elsewhere is about what it tests."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.e2e import flux, nfd, nodes
from tests.e2e.api import Obj
from tests.e2e.cluster import WORKER4, Cluster, install_crds, read_crds
from tests.e2e.evidence import Evidence
from tests.e2e.nvidia import DeviceManager, insert_card
from tests.e2e.pods import Kubelet

_NAMESPACE = "gpu"
_NFD_CRDS = ("nodefeatures.nfd.k8s-sigs.io", "nodefeaturerules.nfd.k8s-sigs.io", "nodefeaturegroups.nfd.k8s-sigs.io")
_SHARED_PRODUCT = "NVIDIA-GeForce-RTX-5070-Ti-SHARED"

_STACK = Path(__file__).with_suffix(".yaml")


def prove(cluster: Cluster, evidence: Evidence) -> None:
    """Walk the whole chain once, from a commit to 5 allocatable GPUs.

    Raises:
        NotProven: a link of the chain does not hold.
    """
    api = cluster.api
    names = ["k8s-control1", "k8s-worker1", WORKER4]
    evidence.eventually("three nodes are Ready", lambda: nodes.ready(api), names, within_s=30)

    install_crds(api, read_crds(_NFD_CRDS))
    nfd.start_master(
        cluster.programs, cluster.binaries, cluster.plane.kubeconfig, namespace=_NAMESPACE, node="k8s-worker1"
    )
    revision = _commit(cluster.repository.tree, cluster)
    api.apply(flux.git_repository("fleet", cluster.git.url("fleet.git")))
    api.apply(flux.kustomization("stack", "fleet", "./stack", {"wait": True}))
    api.apply(flux.kustomization("gate", "fleet", "./gate", _gate_health()))
    evidence.eventually("Flux applied the commit", lambda: flux.applied_revision(api, "stack"), revision, within_s=60)
    evidence.eventually(
        "Flux calls the stack Ready", lambda: flux.ready(api, flux.KUSTOMIZATION, "stack"), "True", within_s=60
    )
    evidence.now("the plugin has 0 desired pods before a card is reported", _desired(cluster, "plugin"), 0)

    machine, other = cluster.machine(WORKER4), cluster.machine("k8s-worker1")
    insert_card(machine.node)
    evidence.eventually(
        "NFD's worker is on all three nodes", lambda: sorted(_where(cluster, "nfd-worker")), names, within_s=30
    )
    for kubelet in (machine, other):
        pod = next(pod for pod in _pods(cluster, "nfd-worker") if pod["spec"]["nodeName"] == kubelet.node.name)
        _start(kubelet, pod)
    evidence.eventually(
        "NFD's worker finds the card, and its master labels k8s-worker4 with nvidia.com/gpu.present=true",
        lambda: nodes.labels(api, WORKER4).get("nvidia.com/gpu.present"),
        "true",
        within_s=30,
    )
    evidence.eventually(
        "the plugin's pod is on k8s-worker4 alone", lambda: _where(cluster, "plugin"), [WORKER4], within_s=30
    )
    evidence.eventually("GFD's pod is on k8s-worker4 alone", lambda: _where(cluster, "gfd"), [WORKER4], within_s=30)
    evidence.eventually(
        "the gate is not Ready and names k8s-worker4",
        lambda: _gate(cluster),
        ("False", "[Node/k8s-worker4 status: 'InProgress']"),
        within_s=60,
    )

    manager = DeviceManager(cluster.programs, cluster.binaries, machine.node)
    _start(machine, _pods(cluster, "plugin")[0])
    evidence.eventually(
        "NVIDIA's device plugin registers 5 devices", lambda: len(manager.devices() or []), 5, within_s=30
    )
    evidence.eventually(
        "a container that gets one is given NVIDIA_VISIBLE_DEVICES",
        lambda: sorted(manager.container_env() or {}),
        ["NVIDIA_VISIBLE_DEVICES"],
        within_s=10,
    )
    manager.report(api)
    evidence.now("k8s-worker4 says that 5 GPUs are allocatable", nodes.allocatable(api, WORKER4), "5")
    evidence.eventually("the gate goes Ready", lambda: flux.ready(api, flux.KUSTOMIZATION, "gate"), "True", within_s=60)

    _start(machine, _pods(cluster, "gfd")[0])
    evidence.eventually(
        "GPU feature discovery, with its own account, labels the product as shared",
        lambda: nodes.labels(api, WORKER4).get("nvidia.com/gpu.product"),
        _SHARED_PRODUCT,
        within_s=30,
    )
    evidence.now("and says how often it is shared", nodes.labels(api, WORKER4).get("nvidia.com/gpu.replicas"), "5")

    nodes.report(api, WORKER4, None)
    evidence.eventually(
        "the gate falls back to not Ready once the node has lost them",
        lambda: flux.ready(api, flux.KUSTOMIZATION, "gate"),
        "False",
        within_s=60,
    )
    evidence.now("and the stack is still Ready", flux.ready(api, flux.KUSTOMIZATION, "stack"), "True")


def _gate(cluster: Cluster) -> tuple[str, str]:
    """Return whether the gate is Ready, and what it waits for in vain."""
    ready = flux.ready(cluster.api, flux.KUSTOMIZATION, "gate")
    _, _, waits_for = flux.message(cluster.api, flux.KUSTOMIZATION, "gate").partition("waiting for: ")
    return ready, waits_for


def _commit(tree: Path, cluster: Cluster) -> str:
    (tree / "stack").mkdir()
    (tree / "stack" / "kustomization.yaml").write_text("resources: [nfd.yaml, stack.yaml]\n", encoding="utf-8")
    shutil.copy(_STACK, tree / "stack" / "stack.yaml")
    shutil.copy(_STACK.with_name("nfd.yaml"), tree / "stack" / "nfd.yaml")
    (tree / "gate").mkdir()
    (tree / "gate" / "kustomization.yaml").write_text(
        "configMapGenerator: [{name: gate, namespace: flux-system, literals: [node=k8s-worker4]}]\n", encoding="utf-8"
    )
    return cluster.repository.commit("A stack by hand")


def _gate_health() -> Obj:
    count = "'nvidia.com/gpu' in status.allocatable && status.allocatable['nvidia.com/gpu'] == '5'"
    return {
        "interval": "10s",
        "retryInterval": "5s",
        "timeout": "30s",  # Flux waits at least this long before it calls a health check failed
        "wait": False,
        "healthChecks": [{"apiVersion": "v1", "kind": "Node", "name": WORKER4}],
        "healthCheckExprs": [{"apiVersion": "v1", "kind": "Node", "current": count}],
    }


def _start(kubelet: Kubelet, pod: Obj) -> None:
    kubelet.start(pod, pod["spec"]["containers"][0])


def _desired(cluster: Cluster, name: str) -> int:
    found = cluster.api.get("apps/v1", "DaemonSet", name, _NAMESPACE) or {}
    return int(found.get("status", {}).get("desiredNumberScheduled", -1))


def _pods(cluster: Cluster, app: str) -> list[Obj]:
    return cluster.api.find("v1", "Pod", _NAMESPACE, f"app={app}")


def _where(cluster: Cluster, app: str) -> list[str]:
    pods = cluster.api.find("v1", "Pod", _NAMESPACE, f"app={app}")
    return [pod["spec"]["nodeName"] for pod in pods if pod["status"]["phase"] == "Running"]
