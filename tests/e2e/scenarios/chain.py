"""The chain from a commit to allocatable GPUs on k8s-worker4, which several scenarios walk."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

from tests.e2e import flux, live, nodes
from tests.e2e.api import Api, Obj
from tests.e2e.cluster import WORKER4, Cluster
from tests.e2e.evidence import Evidence
from tests.e2e.machines import Machines
from tests.e2e.served import parse

NAMESPACE = "nvidia-gpu-operator"
WORKER1 = "k8s-worker1"
CONTROL1 = "k8s-control1"
POOL = "worker4"
PRESENT = "nvidia.com/gpu.present"
_OF_NFD = ("nvidia.com/", "feature.node.kubernetes.io/")
# The run is to take minutes, so Flux is asked to wait for less than is compiled. The gate's timeout is 30 s, since Flux
# raises what is below.
_QUICK: dict[str, Obj] = {
    "gpu-gate": {"interval": "5s", "retryInterval": "2s", "timeout": "30s"},
    "gpu-monitoring": {"retryInterval": "2s"},
}
POOLED = {
    "the device plugin": live.PLUGIN,
    "GPU feature discovery": live.GFD,
    "the DCGM exporter": live.DCGM,
}


def follow(
    cluster: Cluster, evidence: Evidence, revision: str, words: str, *, overlay: str = POOL, gate: bool = True
) -> None:
    """Point Flux at the served repository as README.md says, and wait until the stack of a commit is Ready.

    Args:
        cluster: whose Flux it is.
        evidence: gets two facts.
        revision: hash of the commit.
        words: what is applied.
        overlay: which one; README.md speaks of worker4.
        gate: whether the gate works. While it waits it cannot be removed, since Flux ends a health check first.
    """
    api = cluster.api
    pointer = readme_flux(cluster.repository.tree / "README.md")
    pointer["spec"]["path"] = pointer["spec"]["path"].replace("worker4", overlay)
    api.apply(pointer)
    changes = _QUICK if gate else {**_QUICK, "gpu-gate": {"suspend": True}}
    api.patch(pointer, {"spec": {"patches": [_change(name, spec) for name, spec in changes.items()]}})
    # `flux bootstrap` makes this one, under this name.
    api.apply(flux.git_repository("flux-system", cluster.git.url("fleet.git")))
    evidence.eventually(
        f"Flux, pointed at it by the lines in README.md, applied {words}",
        lambda: flux.applied_revision(api, "gpu-stack"),
        revision,
        within_s=90,
    )
    evidence.eventually(
        "Flux calls the stack Ready", lambda: flux.ready(api, flux.KUSTOMIZATION, "gpu-stack"), "True", within_s=60
    )


def readme_flux(readme: Path) -> Obj:
    """Return the object that README.md tells people to put into the repository that their Flux follows.

    Raises:
        LookupError: there is not exactly one such block, or it is longer than ten lines.
    """
    blocks = re.findall(r"(?ms)^```yaml\n(apiVersion: kustomize\.toolkit.+?)^```$", readme.read_text(encoding="utf-8"))
    if len(blocks) != 1 or blocks[0].count("\n") > 10:
        raise LookupError(f"{readme} has no Flux Kustomization of at most ten lines, or several")
    (found,) = parse(blocks[0])
    return found


def _change(name: str, spec: Obj) -> Obj:
    """Return a patch for one of the compiled Kustomizations."""
    api_version, kind = flux.KUSTOMIZATION
    patch = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, "spec": spec}
    return {"target": {"kind": kind, "name": name}, "patch": json.dumps(patch)}


def commit(cluster: Cluster, message: str) -> str:
    """Commit what is in the served working tree, and have Flux look for it now. Returns the commit's hash."""
    revision = cluster.repository.commit(message)
    flux.reconcile(cluster.api, flux.GIT_REPOSITORY, "flux-system")
    return revision


def no_pods_yet(cluster: Cluster, evidence: Evidence) -> None:
    """Show that nothing runs on GPU nodes before one is known, which Flux calls healthy."""
    for words, daemon_set in POOLED.items():
        evidence.eventually(
            f"before a card is reported, {words} has 0 desired pods",
            partial(live.desired, cluster.api, NAMESPACE, f"{daemon_set}-{POOL}"),
            0,
            within_s=10,
        )


def pods_land(cluster: Cluster, machines: Machines, evidence: Evidence) -> None:
    """Insert the card, and follow it to the pods on k8s-worker4."""
    api = cluster.api
    evidence.eventually(
        "NFD's worker is on every node without a taint and on k8s-worker4, not on the control plane",
        lambda: live.where(api, NAMESPACE, live.NFD_WORKER),
        [WORKER1, WORKER4],
        within_s=30,
    )
    machines.insert_card(WORKER4)
    evidence.eventually(
        "NFD's worker, with its own rights, finds the card, and its master, with its own, labels k8s-worker4",
        lambda: nodes.labels(api, WORKER4).get(PRESENT),
        "true",
        within_s=30,
    )
    evidence.now("and no other node", labelled(api), [WORKER4])
    for words, daemon_set in POOLED.items():
        evidence.eventually(
            f"{words} has exactly one pod, on k8s-worker4",
            partial(live.where, api, NAMESPACE, f"{daemon_set}-{POOL}"),
            [WORKER4],
            within_s=30,
        )


def gpus_appear(cluster: Cluster, machines: Machines, evidence: Evidence, count: int) -> None:
    """Let NVIDIA's plugin register its devices."""
    evidence.eventually(
        f"NVIDIA's device plugin, with the compiled configuration and environment, lists {count} devices",
        lambda: len(machines.manager(WORKER4).devices() or []),
        count,
        within_s=30,
    )
    evidence.eventually(
        f"k8s-worker4 says that nvidia.com/gpu: {count} is allocatable",
        lambda: nodes.allocatable(cluster.api, WORKER4),
        str(count),
        within_s=10,
    )


def labelled(api: Api) -> list[str]:
    """Return the nodes that NFD found a card on, sorted."""
    return sorted(node["metadata"]["name"] for node in api.find("v1", "Node", labels=f"{PRESENT}=true"))


def remove(cluster: Cluster, evidence: Evidence, fact: str) -> None:
    """Take the Kustomization away that points Flux at the stack, and wait until all that it brought are gone."""
    api = cluster.api
    api.delete(*flux.KUSTOMIZATION, "gpu", flux.NAMESPACE)
    api.delete(*flux.GIT_REPOSITORY, "flux-system", flux.NAMESPACE)
    evidence.eventually(
        fact,
        lambda: [one["metadata"]["name"] for one in api.find(*flux.KUSTOMIZATION, flux.NAMESPACE)],
        [],
        within_s=60,
    )


def clean(api: Api) -> None:
    """Take away what a removed stack leaves: what NFD published, and the labels of nodes that have no NFD any more."""
    for kind in ("NodeFeature", "NodeFeatureRule"):
        for one in api.find("nfd.k8s-sigs.io/v1alpha1", kind):
            meta = one["metadata"]
            api.delete("nfd.k8s-sigs.io/v1alpha1", kind, meta["name"], meta.get("namespace", ""))
    for node in api.find("v1", "Node"):
        meta = node["metadata"]
        labels = {key: None for key in meta["labels"] if key.startswith(_OF_NFD)}
        annotations = {key: None for key in meta.get("annotations", {}) if key.startswith("nfd.")}
        api.patch(node, {"metadata": {"labels": labels, "annotations": annotations}})
