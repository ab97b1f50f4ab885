"""Proves what this repository compiles for worker4: served as its own commit, reconciled by Flux, up to the GPUs."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.e2e import flux, live, nodes
from tests.e2e.api import Api, Obj
from tests.e2e.cluster import PROMETHEUS_CRDS, WORKER4, Cluster, install_crds, read_crds
from tests.e2e.evidence import Evidence
from tests.e2e.machines import Machines
from tests.e2e.scenarios import chain
from tests.e2e.scenarios.chain import CONTROL1, NAMESPACE, WORKER1
from tests.e2e.served import edit, gpuc_compile, kustomize_build, serve_checkout, write

_APP = Path(__file__).with_name("app")
_PLUGIN = f"{live.PLUGIN}-{chain.POOL}"
_OVERLAY = "overlays/worker4/overlay.yaml"


def prove(cluster: Cluster, evidence: Evidence) -> None:
    """Walk the chain from this repository's commit to 5 GPUs, change it, break it, and remove it.

    Raises:
        NotProven: a link of the chain does not hold.
    """
    api, tree = cluster.api, cluster.repository.tree
    names = [CONTROL1, WORKER1, WORKER4]
    evidence.eventually("three nodes are Ready", lambda: nodes.ready(api), names, within_s=30)
    revision, words = serve_checkout(cluster.repository)
    with Machines(cluster, names, [NAMESPACE]) as machines, evidence.meanwhile(machines.step):
        chain.follow(cluster, evidence, revision, words)
        _start_app(cluster)
        stack = kustomize_build(tree / "out/overlays/worker4")
        _accepted(api, evidence, stack)
        chain.no_pods_yet(cluster, evidence)
        _monitoring_waits(api, evidence)
        _gate_waits(api, evidence)
        chain.pods_land(cluster, machines, evidence)
        chain.gpus_appear(cluster, machines, evidence, 5)
        evidence.eventually(
            "a container that gets one is told so by NVIDIA_VISIBLE_DEVICES, and by nothing else",
            lambda: sorted(machines.manager(WORKER4).container_env() or {}),
            ["NVIDIA_VISIBLE_DEVICES"],
            within_s=10,
        )
        _toleration_is_needed(api, evidence)
        _gate_is_ready(api, evidence, "the gate goes Ready")
        _monitoring_follows(cluster, evidence)
        _five_pods(api, evidence)
        _quota(cluster, evidence)
        _gfd_labels(api, evidence)
        _gate_falls_back(api, machines, evidence)
        _six(cluster, machines, evidence)
        _broken(cluster, evidence)
        _renamed(cluster, evidence, stack)
        _removed(cluster, evidence, stack)
    chain.clean(api)


def _accepted(api: Api, evidence: Evidence, stack: list[Obj]) -> None:
    evidence.now(
        f"a new owner's server-side apply of all {len(stack)} objects, strict about fields, would change nothing",
        live.differences(api, stack),
        [],
    )
    before = live.snapshot(api, stack)
    request = flux.reconcile(api, flux.KUSTOMIZATION, "gpu-stack")
    evidence.wait(
        "Flux applies the commit once more",
        lambda: flux.handled(api, flux.KUSTOMIZATION, "gpu-stack") == request and _ready(api, "gpu-stack") == "True",
        within_s=30,
    )
    evidence.now(
        "Flux's second apply of the same commit changes nothing, owners of fields included",
        live.changed(before, live.snapshot(api, stack)),
        [],
    )


def _monitoring_waits(api: Api, evidence: Evidence) -> None:
    evidence.eventually(
        "without the ServiceMonitor CRD monitoring waits",
        lambda: (_ready(api, "gpu-monitoring"), "ServiceMonitor" in _message(api, "gpu-monitoring")),
        ("False", True),
        within_s=30,
    )


def _gate_waits(api: Api, evidence: Evidence) -> None:
    evidence.eventually(
        "the gate is not Ready, and names the node that it waits for",
        lambda: (_ready(api, "gpu-gate") == "True", flux.health_failures(api, "gpu-gate")),
        (False, ["[Node/k8s-worker4 status: 'InProgress']"]),
        within_s=60,
    )
    evidence.now("while the stack is Ready", _ready(api, "gpu-stack"), "True")
    evidence.eventually(
        "an application that depends on the gate waits too",
        lambda: (_ready(api, "apps"), "gpu-gate" in _message(api, "apps")),
        ("False", True),
        within_s=10,
    )


def _gate_is_ready(api: Api, evidence: Evidence, fact: str) -> None:
    evidence.eventually(fact, lambda: _ready(api, "gpu-gate"), "True", within_s=60)


def _toleration_is_needed(api: Api, evidence: Evidence) -> None:
    """A pod with everything but the toleration: the taint keeps it away, though slices are free."""
    spec = {
        "runtimeClassName": "nvidia",
        "nodeSelector": {chain.PRESENT: "true"},
        "containers": [{"name": "main", "image": "registry.example.com/a", "resources": {"limits": {nodes.GPU: "1"}}}],
    }
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "no-toleration", "namespace": "default"}}
    api.apply({**pod, "spec": spec})
    evidence.eventually(
        "a pod without the toleration stays Pending because of the taint",
        lambda: [why for why in _unscheduled(api, "default") if "untolerated taint" in why] != [],
        True,  # noqa: FBT003 - what is expected
        within_s=30,
    )
    api.delete("v1", "Pod", "no-toleration", "default")


def _monitoring_follows(cluster: Cluster, evidence: Evidence) -> None:
    api = cluster.api
    waits = _ready(api, "gpu-monitoring") != "True"  # Unknown while Flux tries again
    evidence.now("all that while monitoring was not Ready, so the GPUs did not wait", waits, expected=True)
    install_crds(api, read_crds(PROMETHEUS_CRDS))
    evidence.eventually(
        "once the CRDs of the Prometheus operator exist monitoring is Ready",
        lambda: _ready(api, "gpu-monitoring"),
        "True",
        within_s=60,
    )
    monitoring = kustomize_build(cluster.repository.tree / "out/overlays/worker4/monitoring")
    evidence.now("its objects too are accepted by strict validation", live.differences(api, monitoring), [])


def _start_app(cluster: Cluster) -> None:
    """Commit an application to a branch of its own, and have Flux apply it when the gate is Ready."""
    shutil.copytree(_APP, cluster.repository.tree / "apps/llm")
    cluster.repository.commit("Run a language model", branch="apps")
    cluster.api.apply(flux.git_repository("apps", cluster.git.url("fleet.git"), "apps"))
    cluster.api.apply(flux.kustomization("apps", "apps", "./apps/llm", {"dependsOn": [{"name": "gpu-gate"}]}))


def _five_pods(api: Api, evidence: Evidence) -> None:
    def placed() -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for pod in api.find("v1", "Pod", "llm"):
            found.setdefault(pod["status"]["phase"], []).append(pod["spec"].get("nodeName", ""))
        return found

    evidence.eventually(
        "of six pods that include the component five run, all on k8s-worker4, and the sixth stays Pending",
        placed,
        {"Running": [WORKER4] * 5, "Pending": [""]},
        within_s=30,
    )
    evidence.eventually(
        "because there are no more slices",
        lambda: [f"Insufficient {nodes.GPU}" in why for why in _unscheduled(api, "llm")],
        [True],
        within_s=10,
    )


def _quota(cluster: Cluster, evidence: Evidence) -> None:
    """The namespace comfyui has one workload in the overlay, so its quota is one slice."""
    api, folder = cluster.api, cluster.repository.tree / "quota"
    component = "../out/components/gpu-workload/worker4/worker4/quota/comfyui"
    write(folder / "kustomization.yaml", {"components": [component]})
    api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "comfyui"}})
    quota = kustomize_build(folder)
    spec = {"containers": [{"name": "main", "image": "comfyui", "resources": {"limits": {nodes.GPU: "2"}}}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "too-much", "namespace": "comfyui"}, "spec": spec}
    evidence.now("the quota of a namespace is accepted", live.applied(api, quota, "app"), [])
    evidence.eventually(
        "and refuses a pod that asks for more slices than the namespace has workloads",
        lambda: ["exceeded quota: gpu-worker4" in why for why in live.applied(api, [pod], "app")],
        [True],
        within_s=10,  # until the quota's controller has seen it, it refuses for another reason
    )
    shutil.rmtree(folder)


def _gfd_labels(api: Api, evidence: Evidence) -> None:
    def labels() -> dict[str, str | None]:
        found = nodes.labels(api, WORKER4)
        return {key: found.get(f"nvidia.com/{key}") for key in expected}

    expected = {
        "gpu.product": "NVIDIA-GeForce-RTX-5070-Ti-SHARED",
        "gpu.replicas": "5",
        "gpu.sharing-strategy": "time-slicing",
        "gpu.memory": "16384",
        "gpu.present": "true",
    }
    evidence.eventually("GPU feature discovery publishes the labels of a shared card", labels, expected, within_s=30)
    account = f"system:serviceaccount:{NAMESPACE}:{live.GFD}"
    rights = {
        (namespace, verb): _may(api, account, namespace, verb)
        for namespace in (NAMESPACE, "default")
        for verb in ("create", "delete")
    }
    evidence.now(
        "with an account that may write NodeFeatures in its own namespace alone, and delete none",
        [where for where, allowed in rights.items() if allowed],
        [(NAMESPACE, "create")],
    )


def _may(api: Api, account: str, namespace: str, verb: str) -> bool:
    attributes = {"namespace": namespace, "verb": verb, "group": "nfd.k8s-sigs.io", "resource": "nodefeatures"}
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": account, "resourceAttributes": attributes},
    }
    path = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
    return bool(api.request("POST", path, review)["status"]["allowed"])


def _gate_falls_back(api: Api, machines: Machines, evidence: Evidence) -> None:
    machines.hold(WORKER4, live.PLUGIN)
    evidence.eventually(
        "with the plugin dead k8s-worker4 has no GPU left",
        lambda: nodes.allocatable(api, WORKER4),
        "0",
        within_s=20,
    )
    evidence.eventually(
        "at its next interval the gate falls back to not Ready",
        lambda: _ready(api, "gpu-gate"),
        "False",
        within_s=90,
    )
    both = [_ready(api, name) for name in ("gpu-stack", "gpu-monitoring")]
    evidence.now("while stack and monitoring are Ready", both, ["True", "True"])
    machines.release(WORKER4, live.PLUGIN)
    _gate_is_ready(api, evidence, "and with the plugin back the gate is Ready again")


def _six(cluster: Cluster, machines: Machines, evidence: Evidence) -> None:
    api, tree = cluster.api, cluster.repository.tree
    old = live.pods(api, NAMESPACE, _PLUGIN)
    edit(tree / _OVERLAY, "replicas: 5", "replicas: 6")
    gpuc_compile(tree)
    revision = chain.commit(cluster, "Share the card six ways")
    evidence.eventually(
        "a commit of replicas: 6, compiled by gpuc, rolls the plugin",
        lambda: (len(live.pods(api, NAMESPACE, _PLUGIN)), live.pods(api, NAMESPACE, _PLUGIN) != old),
        (1, True),
        within_s=60,
    )
    chain.gpus_appear(cluster, machines, evidence, 6)
    evidence.eventually(
        "and the gate, which now asks for 6, is Ready at that commit",
        lambda: (flux.applied_revision(api, "gpu-gate"), _ready(api, "gpu-gate")),
        (revision, "True"),
        within_s=60,
    )


def _broken(cluster: Cluster, evidence: Evidence) -> None:
    api, tree = cluster.api, cluster.repository.tree
    before = (live.pods(api, NAMESPACE, _PLUGIN), nodes.allocatable(api, WORKER4))
    patch = tree / "out/overlays/worker4/pools/worker4/daemonset-nvidia-device-plugin.patch.yaml"
    good = patch.read_text(encoding="utf-8")
    patch.write_text(f"{good}      restartPolicy: Never\n", encoding="utf-8")
    chain.commit(cluster, "Break the stack")
    evidence.eventually(
        "a commit with what the API server refuses makes the stack not Ready",
        lambda: (_ready(api, "gpu-stack"), "restartPolicy" in _message(api, "gpu-stack")),
        ("False", True),
        within_s=60,
    )
    evidence.stays(
        "and leaves the running plugin and its 6 GPUs alone",
        lambda: (live.pods(api, NAMESPACE, _PLUGIN), nodes.allocatable(api, WORKER4)),
        before,
        for_s=3,
    )
    patch.write_text(good, encoding="utf-8")
    chain.commit(cluster, "Mend the stack")
    evidence.eventually("the commit that mends it is applied", lambda: _ready(api, "gpu-stack"), "True", within_s=60)


def _renamed(cluster: Cluster, evidence: Evidence, stack: list[Obj]) -> None:
    """Rename the overlay's folder: only paths change, and an address that is not updated yet costs nothing."""
    api, tree = cluster.api, cluster.repository.tree
    before = live.uids(api, stack)
    (tree / "overlays/worker4").rename(tree / "overlays/home")
    gpuc_compile(tree)
    revision = chain.commit(cluster, "Rename the overlay")
    evidence.eventually(
        "a renamed overlay is not found at its old address",
        lambda: (_ready(api, "gpu"), "path not found" in _message(api, "gpu")),
        ("False", True),
        within_s=60,
    )
    api.patch(flux.named("gpu"), {"spec": {"path": "./out/flux/home"}})
    evidence.eventually(
        "and is applied from its new one",
        lambda: (flux.applied_revision(api, "gpu-stack"), _ready(api, "gpu-stack")),
        (revision, "True"),
        within_s=60,
    )
    now = live.uids(api, stack)
    evidence.now("with every object still the same", {key for key, uid in before.items() if now.get(key) != uid}, set())


def _removed(cluster: Cluster, evidence: Evidence, stack: list[Obj]) -> None:
    api = cluster.api
    kept = [obj for obj in stack if obj["kind"] in ("Namespace", "CustomResourceDefinition")]
    gone = [obj for obj in stack if obj not in kept]
    before = live.uids(api, kept)
    api.delete(*flux.KUSTOMIZATION, "apps", flux.NAMESPACE)
    chain.remove(cluster, evidence, "once the Kustomization is removed, Flux removes the others")
    evidence.eventually(f"and the other {len(gone)} objects are gone", lambda: live.present(api, gone), [], within_s=30)
    evidence.now("the namespace and the CRDs are the same as before", live.uids(api, kept), before)


def _ready(api: Api, name: str) -> str:
    return flux.ready(api, flux.KUSTOMIZATION, name)


def _message(api: Api, name: str) -> str:
    return flux.message(api, flux.KUSTOMIZATION, name)


def _unscheduled(api: Api, namespace: str) -> list[str]:
    """Return why pods of a namespace are not scheduled, in the scheduler's words."""
    conditions = [one for pod in api.find("v1", "Pod", namespace) for one in pod["status"].get("conditions", [])]
    return [one["message"] for one in conditions if one["type"] == "PodScheduled" and one["status"] == "False"]
