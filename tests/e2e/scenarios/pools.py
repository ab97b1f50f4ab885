"""Proves several node pools in one cluster, MPS among them, and a stack that leaves NFD to somebody else."""

from __future__ import annotations

import re
import shutil
from functools import partial
from pathlib import Path

from tests.e2e import flux, live, nfd, nodes
from tests.e2e.api import Api, Obj
from tests.e2e.cluster import PROMETHEUS_CRDS, WORKER4, Cluster, install_crds, read_crds
from tests.e2e.evidence import Evidence
from tests.e2e.machines import Machines
from tests.e2e.scenarios import chain
from tests.e2e.scenarios.chain import NAMESPACE, WORKER1
from tests.e2e.served import gpuc_compile, kustomize_build, serve_checkout, write

_INPUTS = Path(__file__).with_name("pools_inputs")
_BY_HAND = Path(__file__).with_name("nfd.yaml")
_GPU5, _GPU6 = "k8s-gpu5", "k8s-gpu6"
_PLACES = {"shared": WORKER4, "whole": _GPU5, "mps": _GPU6}
_POOL_LABEL = "feature.node.kubernetes.io/gpu-pool"
_MPS = f"{live.MPS}-mps"
_ACCOUNT = "gpu-applier"
_OTHER_NFD = "other-nfd"
_DEFAULT_LABEL = "feature.node.kubernetes.io/pci-0300_10de.present"


def prove(cluster: Cluster, evidence: Evidence) -> None:
    """Run three pools in one cluster, then one pool beside another NFD.

    Raises:
        NotProven: something lands where it should not, or not where it should.
    """
    api, tree = cluster.api, cluster.repository.tree
    serve_checkout(cluster.repository)
    shutil.copytree(_INPUTS, tree, dirs_exist_ok=True)
    shutil.rmtree(tree / "overlays/worker4")
    gpuc_compile(tree)
    revision = cluster.repository.commit("Three pools, and a cluster with an NFD of its own")
    taint = {"key": "example.com/gpu", "effect": "NoSchedule"}
    nodes.create(api, _GPU5, address="192.168.1.225", taints=(taint,), labels={"example.com/gpu": "whole"})
    nodes.create(api, _GPU6, address="192.168.1.226")
    install_crds(api, read_crds(PROMETHEUS_CRDS))
    for obj in _account(tree / "docs/flux.md"):
        api.apply(obj)
    names = [chain.CONTROL1, WORKER1, *_PLACES.values()]
    with Machines(cluster, names, [NAMESPACE]) as machines, evidence.meanwhile(machines.step):
        machines.hold(_GPU6, live.GFD)
        words = "three pools, as an account with the rights in docs/flux.md and no others"
        chain.follow(cluster, evidence, revision, words, overlay="lab")
        _pools_land(api, machines, evidence)
        _mps_lands(api, machines, evidence)
        _gate_tells_pools_apart(api, machines, evidence)
        evidence.now("monitoring too is Ready", _ready(api, "gpu-monitoring"), "True")
        _workloads_land(cluster, evidence)
        chain.remove(cluster, evidence, "three pools are removed with their Kustomization")
    chain.clean(api)
    for name in (_GPU5, _GPU6):
        api.delete("v1", "Node", name)
    with (
        Machines(cluster, [WORKER1, WORKER4], [NAMESPACE, _OTHER_NFD]) as machines,
        evidence.meanwhile(machines.step),
    ):
        _borrow(cluster, machines, evidence, revision)


def _account(page: Path) -> list[Obj]:
    """Return the service account of the overlay, with the rights that the documentation lists.

    Raises:
        LookupError: the page has no such table.
    """
    rows = re.findall(r"^\| (\S+) \| ([a-z, ]+) \| ([a-z, ]+) \| .*\|$", page.read_text(encoding="utf-8"), re.MULTILINE)
    rules = [
        {
            "apiGroups": ["" if group == "core" else group],
            "resources": resources.split(", "),
            "verbs": verbs.split(", "),
        }
        for group, resources, verbs in rows
        if "get" in verbs
    ]
    if not rules:
        raise LookupError(f"{page} has no table of rights")
    rbac = "rbac.authorization.k8s.io"
    subject = {"kind": "ServiceAccount", "name": _ACCOUNT, "namespace": flux.NAMESPACE}
    return [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": _ACCOUNT, "namespace": flux.NAMESPACE}},
        {"apiVersion": f"{rbac}/v1", "kind": "ClusterRole", "metadata": {"name": _ACCOUNT}, "rules": rules},
        {
            "apiVersion": f"{rbac}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": _ACCOUNT},
            "roleRef": {"apiGroup": rbac, "kind": "ClusterRole", "name": _ACCOUNT},
            "subjects": [subject],
        },
    ]


def _pools_land(api: Api, machines: Machines, evidence: Evidence) -> None:
    """Insert four cards, one of them into a node that belongs to no pool."""
    for node in (WORKER1, *_PLACES.values()):
        machines.insert_card(node)
    evidence.eventually(
        "NFD labels the four nodes with a card, one of which is in no pool",
        lambda: chain.labelled(api),
        sorted([WORKER1, *_PLACES.values()]),
        within_s=30,
    )
    evidence.eventually(
        "and says which pool a named node is in",
        lambda: {name: nodes.labels(api, name).get(_POOL_LABEL) for name in (WORKER1, *_PLACES.values())},
        {WORKER1: None, WORKER4: "shared", _GPU5: None, _GPU6: "mps"},
        within_s=10,
    )
    for words, daemon_set in chain.POOLED.items():
        evidence.eventually(
            f"each pool's pod of {words} is on the pool's own node alone",
            partial(_by_pool, api, daemon_set),
            {pool: [node] for pool, node in _PLACES.items()},
            within_s=30,
        )
    evidence.eventually(
        "the pool of four slices lists 4 devices, the one without sharing lists 1",
        lambda: [len(machines.manager(node).devices() or []) for node in (WORKER4, _GPU5)],
        [4, 1],
        within_s=30,
    )


def _by_pool(api: Api, daemon_set: str) -> dict[str, list[str]]:
    return {pool: live.where(api, NAMESPACE, f"{daemon_set}-{pool}") for pool in _PLACES}


def _mps_lands(api: Api, machines: Machines, evidence: Evidence) -> None:
    evidence.now(
        "MPS's daemon has 0 desired pods while nothing says that a card can do MPS",
        live.desired(api, NAMESPACE, _MPS),
        0,
    )
    machines.release(_GPU6, live.GFD)
    evidence.eventually(
        "GPU feature discovery says so of the node that shares by MPS, and of no other",
        lambda: [name for name in _PLACES.values() if nodes.labels(api, name).get("nvidia.com/mps.capable") == "true"],
        [_GPU6],
        within_s=30,
    )
    evidence.eventually(
        "and MPS's daemon has one pod, there", lambda: live.where(api, NAMESPACE, _MPS), [_GPU6], within_s=30
    )


def _gate_tells_pools_apart(api: Api, machines: Machines, evidence: Evidence) -> None:
    """MPS needs a driver: what its plugin would list is reported by hand, first a wrong number, then the right one."""
    evidence.now("the plugin of the pool with MPS waits for the daemon", machines.manager(_GPU6).devices(), None)
    nodes.report(api, _GPU6, 4)
    evidence.eventually(
        "the gate, which wants 4 on k8s-worker4 and 3 on k8s-gpu6, names the one of the two that has another number",
        lambda: (_ready(api, "gpu-gate"), _waits_for(api)),
        ("False", f"[Node/{_GPU6} status: 'InProgress']"),
        within_s=90,
    )
    nodes.report(api, _GPU6, 3)
    evidence.eventually(
        "and is Ready with both, whatever the pool chosen by label has",
        lambda: _ready(api, "gpu-gate"),
        "True",
        within_s=60,
    )


def _workloads_land(cluster: Cluster, evidence: Evidence) -> None:
    api, folder = cluster.api, cluster.repository.tree / "apps"
    api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "apps"}})
    for pool in _PLACES:
        _write_app(folder / pool, pool)
    everything = {"resources": [f"./{pool}" for pool in _PLACES]}
    write(folder / "kustomization.yaml", everything)
    for obj in kustomize_build(folder):
        api.apply(obj)
    evidence.eventually(
        "applications that include the component of a pool run on that pool's node",
        lambda: {pool: _nodes_of(api, f"app={pool}") for pool in _PLACES},
        {pool: [node] for pool, node in _PLACES.items()},
        within_s=30,
    )
    api.delete("v1", "Namespace", "apps")


def _write_app(folder: Path, pool: str) -> None:
    component = f"../../out/components/gpu-workload/lab/{pool}"
    write(folder / "kustomization.yaml", {"resources": ["deployment.yaml"], "components": [component]})
    labels = {"app": pool}
    template = {
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "main", "image": "registry.example.com/app:1"}]},
    }
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": pool, "namespace": "apps"},
        "spec": {"selector": {"matchLabels": labels}, "template": template},
    }
    write(folder / "deployment.yaml", deployment)


def _borrow(cluster: Cluster, machines: Machines, evidence: Evidence, revision: str) -> None:
    api, tree = cluster.api, cluster.repository.tree
    namespace = {"name": _OTHER_NFD, "labels": {"pod-security.kubernetes.io/enforce": "privileged"}}
    api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": namespace})
    write(tree / "other/kustomization.yaml", {"namespace": _OTHER_NFD, "resources": ["nfd.yaml"]})
    shutil.copy(_BY_HAND, tree / "other/nfd.yaml")
    others = kustomize_build(tree / "other")
    evidence.now("another NFD is in the cluster", live.applied(api, others, "others"), [])
    master = nfd.start_master(
        cluster.programs, cluster.binaries, cluster.plane.kubeconfig, namespace=_OTHER_NFD, node=WORKER1
    )
    machines.insert_card(WORKER4)
    evidence.eventually(
        "and labels the card in its own way",
        lambda: nodes.labels(api, WORKER4).get(_DEFAULT_LABEL),
        "true",
        within_s=30,
    )
    stack = kustomize_build(tree / "out/overlays/borrowed")
    evidence.now("with nodeFeatureDiscovery managed: external no NFD is compiled", _of_nfd(stack), [])
    chain.follow(cluster, evidence, revision, "such a stack", overlay="borrowed")
    evidence.eventually(
        "the other NFD follows the stack's NodeFeatureRule", lambda: chain.labelled(api), [WORKER4], within_s=30
    )
    chain.gpus_appear(cluster, machines, evidence, 5)
    evidence.eventually(
        "and publishes what GPU feature discovery reports",
        lambda: nodes.labels(api, WORKER4).get("nvidia.com/gpu.product"),
        "NVIDIA-GeForce-RTX-5070-Ti-SHARED",
        within_s=30,
    )
    before = live.uids(api, others)
    chain.remove(cluster, evidence, "the stack is removed")
    evidence.now("and the other NFD is as it was", live.uids(api, others), before)
    cluster.programs.stop(master)
    for obj in [*others, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": _OTHER_NFD}}]:
        api.delete(obj["apiVersion"], obj["kind"], obj["metadata"]["name"], obj["metadata"].get("namespace", ""))
    chain.clean(api)


def _of_nfd(stack: list[Obj]) -> list[str]:
    return [live.name(obj) for obj in stack if obj["metadata"]["name"].startswith(("nfd-", "nodefeature"))]


def _nodes_of(api: Api, labels: str) -> list[str]:
    return [pod["spec"].get("nodeName", "") for pod in api.find("v1", "Pod", "apps", labels)]


def _ready(api: Api, name: str) -> str:
    return flux.ready(api, flux.KUSTOMIZATION, name)


def _waits_for(api: Api) -> str:
    return flux.message(api, flux.KUSTOMIZATION, "gpu-gate").partition("waiting for: ")[2]
