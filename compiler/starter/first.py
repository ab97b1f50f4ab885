"""The first inputs of a repository: what was chosen, what the cluster's nodes tell, and defaults with their reasons."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, get_args

from compiler.model import versions
from compiler.model.cards import card
from compiler.model.kube import Taint
from compiler.objects import Obj
from compiler.starter.choices import KUBERNETES, NAMESPACE, Choices, NodeChoice
from compiler.starter.draft import Draft
from compiler.starter.nodes import GpuNode, Nodes

NFD = versions.NODE_FEATURE_DISCOVERY[-1]
DEVICE_PLUGIN = versions.DEVICE_PLUGIN[-1]
DCGM_EXPORTER = versions.DCGM_EXPORTER[-1]
IMAGES: Final = {
    "nodeFeatureDiscovery": "registry.k8s.io/nfd/node-feature-discovery",
    "devicePlugin": "nvcr.io/nvidia/k8s-device-plugin",
    "dcgmExporter": "nvcr.io/nvidia/k8s/dcgm-exporter",
}
GPU_PRESENT: Final = "nvidia.com/gpu.present"


@dataclass(frozen=True)
class Pool:
    """A node pool in the making."""

    name: str
    nodes: tuple[NodeChoice, ...] = ()
    taints: tuple[Taint, ...] = ()
    talos: str | None = None
    product: str | None = None
    memory: str | None = None
    count: int | None = None
    replicas: int | None = None
    strategy: str = "time-slicing"
    driver: str | None = None
    modules: str | None = None
    extensions: tuple[str, ...] = ()


def first_inputs(choices: Choices, nodes: Nodes | None = None) -> Draft:
    """Return a stack and an overlay; what was chosen wins over what the nodes tell."""
    pools = _from_nodes(choices, nodes) if nodes else _from_choices(choices)
    talos = choices.os_version or next((pool.talos for pool in pools if pool.talos), None)
    system = choices.os or ("talos" if talos else "generic")
    kubernetes = choices.kubernetes or next(
        (one.kubernetes for one in (nodes.gpu if nodes else ()) if one.kubernetes), None
    )
    draft = Draft(choices.name or "gpu")
    stack_frame(draft, choices, system=system, talos=talos, kubernetes=kubernetes)
    _stack(draft, choices, talos=system == "talos")
    overlay_frame(draft, choices)
    for index, pool in enumerate(pools):
        add_pool(draft, index, pool, stack_talos=talos if system == "talos" else None)
    if nodes and nodes.all_tainted:
        why = "No node in the list that takes pods is free of taints: NFD's master would stay Pending."
        draft.put("overlay", ("allNodesTainted",), value=True, comment=why)
    return draft


def stack_frame(draft: Draft, choices: Choices, *, system: str, talos: str | None, kubernetes: str | None) -> None:
    """Put what every stack has: namespace, Kubernetes' version, platform, versions of the components."""
    draft.put(
        "stack",
        ("namespace",),
        choices.namespace or NAMESPACE,
        "Labelled for Pod Security `privileged`: the stack's pods mount paths of the node.",
    )
    supported = get_args(versions.KubernetesVersion)
    known = kubernetes if kubernetes in supported else None
    why = "Whose schemas validate the result."
    if kubernetes is None:
        why += " Nothing said which: `kubectl version` does."
    elif not known:
        why += f" The cluster has {kubernetes}; gpuc knows {supported[0]} to {supported[-1]}."
    nearest = supported[0] if kubernetes and not known and _minor(kubernetes) < _minor(supported[0]) else supported[-1]
    draft.put("stack", ("kubernetes", "version"), known or (nearest if kubernetes else KUBERNETES), why)
    if system == "talos":
        said = "" if talos else " Nothing said which release: `talosctl version` does."
        draft.put("stack", ("platform", "os"), "talos")
        draft.put("stack", ("platform", "version"), talos or "v1.13.3")
        draft.comments["stack", ("platform",)] = f"The release decides paths and kernel modules.{said}"
    else:
        why = "Driver and NVIDIA's container toolkit are on the nodes, and containerd knows the handler nvidia."
        draft.put("stack", ("platform", "os"), "generic")
        draft.comments["stack", ("platform",)] = why
    for key, version in (("nodeFeatureDiscovery", NFD), ("devicePlugin", DEVICE_PLUGIN)):
        put_version(draft, key, version)


def put_version(draft: Draft, key: str, version: str) -> None:
    """Put a component's version, with the comment by which Renovate raises it."""
    draft.put("stack", (key, "version"), version, f"renovate: datasource=docker depName={IMAGES[key]}")


def _minor(version: str) -> int:
    return int(version.partition(".")[2] or 0)


def _stack(draft: Draft, choices: Choices, *, talos: bool) -> None:
    if talos:
        why = "`auto` probes paths that Talos does not have."
        draft.put("stack", ("devicePlugin", "deviceDiscoveryStrategy"), "nvml", why)
    if choices.monitoring is not False:
        add_exporter(draft)
        why = "What monitoring needs is in a Kustomize root of its own: it waits for the Prometheus operator's CRDs."
        draft.put("stack", ("dcgmExporter", "serviceMonitor", "enabled"), value=True, comment=why)
        add_monitoring(draft)
    add_delivery(draft, choices)


def add_exporter(draft: Draft) -> None:
    """Put the DCGM exporter."""
    put_version(draft, "dcgmExporter", DCGM_EXPORTER)


def add_monitoring(draft: Draft) -> None:
    """Put dashboard and alerts."""
    draft.put("stack", ("monitoring", "dashboard", "enabled"), value=True)
    draft.put("stack", ("monitoring", "rules", "enabled"), value=True)


def add_delivery(draft: Draft, choices: Choices) -> None:
    """Put what reconciles out/, where it was chosen."""
    if choices.flux:
        why = "A private repository needs secretRef, the name of a Secret in flux-system."
        draft.put("stack", ("delivery", "flux", "source"), {"managed": "gpuc", "url": choices.flux}, why)
    if choices.argocd:
        draft.put("stack", ("delivery", "argocd", "repoURL"), choices.argocd)


def overlay_frame(draft: Draft, choices: Choices) -> None:
    """Put what every overlay has besides its pools."""
    draft.put("overlay", ("cluster",), choices.cluster or draft.name)
    draft.put("overlay", ("nodePools",), [])


def add_pool(draft: Draft, index: int, pool: Pool, *, stack_talos: str | None) -> None:
    """Append a pool. `stack_talos` is the stack's Talos release, if it has one."""
    here = ("nodePools", index)
    put = draft.put
    put("overlay", (*here, "name"), pool.name)
    if pool.nodes:
        nodes = [{"name": one.name, **({"address": one.address} if one.address else {})} for one in pool.nodes]
        put("overlay", (*here, "nodes"), nodes)
    else:
        why = (
            "Every node with a GPU. Name them instead (nodes: [{name: ...}]), and gpuc knows how many slices there are."
        )
        put("overlay", (*here, "nodeSelector"), {GPU_PRESENT: "true"}, why)
    if stack_talos and pool.talos and pool.talos != stack_talos:
        put("overlay", (*here, "platform"), {"os": "talos", "version": pool.talos})
    if pool.taints:
        why = "Whatever of the stack must run here tolerates them; your workloads have to as well."
        put("overlay", (*here, "taints"), [plain_taint(taint) for taint in pool.taints], why)
    known: Obj = {"product": pool.product, "count": pool.count, "memory": pool.memory}
    gpu = {key: value for key, value in known.items() if value is not None}
    if gpu:
        put("overlay", (*here, "gpu"), gpu, None if pool.product else "`nvidia-smi` names the product.")
    if pool.replicas and pool.replicas > 1:
        why = "VRAM is shared, not split: a pod can take all of it." if pool.strategy == "time-slicing" else ""
        put("overlay", (*here, "sharing"), {"strategy": pool.strategy, "replicas": pool.replicas}, why)
    else:
        put("overlay", (*here, "sharing"), {"strategy": "none"}, "One pod a card; time-slicing and mps share it.")
    if stack_talos:
        _add_talos(draft, index, pool)


def plain_taint(taint: Taint) -> Obj:
    """Return a taint as it is written."""
    return {"key": taint.key, **({"value": taint.value} if taint.value else {}), "effect": taint.effect}


def _add_talos(draft: Draft, index: int, pool: Pool) -> None:
    known = card(pool.product)
    old = known is not None and not known.generation.in_current_drivers
    driver = pool.driver or ("lts" if old else "production")
    modules = pool.modules or ("open" if known is None or known.generation.open_modules else "proprietary")
    data: Obj = {"driver": driver, "modules": modules}
    if pool.extensions:
        data["extensions"] = list(pool.extensions)
    why = (
        "The image of these nodes. imagePlatform is metal unless it is said here (nocloud, aws, ...); extensions are\n"
        "those besides the driver's. `gpuc talos` prints the image."
    )
    draft.put("overlay", ("nodePools", index, "talos"), data, why)


def _from_choices(choices: Choices) -> list[Pool]:
    return [
        Pool(
            choices.name or "gpu",
            choices.nodes,
            choices.taints,
            choices.os_version,
            choices.product,
            choices.memory,
            choices.count,
            choices.replicas,
        )
    ]


def _from_nodes(choices: Choices, nodes: Nodes) -> list[Pool]:
    groups: dict[tuple[object, ...], list[GpuNode]] = {}
    for node in nodes.gpu:
        groups.setdefault(node.alike, []).append(node)
    pools: list[Pool] = []
    for group in groups.values():
        one = group[0]
        replicas = choices.replicas or one.replicas
        pool = Pool(
            _pool_name(choices, one, len(groups), [pool.name for pool in pools]),
            tuple(NodeChoice(node.name, node.address) for node in group),
            choices.taints or one.taints,
            choices.os_version or one.talos,
            choices.product or one.product,
            choices.memory or one.memory,
            choices.count or one.count,
            replicas,
            one.strategy if one.replicas and not choices.replicas else "time-slicing",
            one.driver,
            one.modules,
            one.extensions,
        )
        pools.append(pool)
    return pools


def _pool_name(choices: Choices, node: GpuNode, groups: int, taken: Sequence[str]) -> str:
    """Return a pool's name: the overlay's where there is one pool, else that of the card, else of the node."""
    words = choices.name or "gpu"
    if groups > 1:
        words = re.sub(r"(?i)\b(nvidia|geforce)\b", "", node.product or node.name)
    name = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:36].strip("-") or "gpu"
    number = 2
    unique = name
    while unique in taken:
        unique, number = f"{name}-{number}", number + 1
    return unique
