"""Who makes the labels of nodes: NFD, rules for it, GFD, the GPU Operator, the platform, or whoever declared them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches

from compiler.check.objects.nfd import PCI_PRESENT, NfdRule, PciFormat, node_feature_rules, worker_formats, worker_rules
from compiler.check.objects.plain import texts
from compiler.check.objects.programs import Program, running
from compiler.check.scene import Scene

GPU_PRESENT = "nvidia.com/gpu.present"
MODEL_VENDOR = "feature.node.kubernetes.io/cpu-model.vendor_id"
# GFD: k8s-device-plugin, internal/lm. gpu.present is not among them.
_GFD = re.compile(
    r"nvidia\.com/(gfd\.timestamp|(cuda|vgpu)\..+|mps\.capable|mig\.(capable|strategy)|"
    r"(gpu|mig-[0-9a-z.]+)\.(product|count|replicas|memory|family|machine|mode|sharing-strategy|clique|"
    r"compute\.(major|minor)|multiprocessors|slices\..+|engines\..+))(\.shared)?"
)
_OPERATOR = re.compile(r"nvidia\.com/(gpu\.(present|deploy\..+)|mig\.config.*)")
# NFD's sources besides PCI: node-feature-discovery, source/.
_NFD = re.compile(r"feature\.node\.kubernetes\.io/(cpu|kernel|system|memory|network|storage|usb|custom|rdma)[-.].+")
# The kubelet, cloud providers and Talos.
_PLATFORM = re.compile(
    r"(beta\.)?kubernetes\.io/(hostname|os|arch)|((beta|node)\.)?kubernetes\.io/instance-type|"
    r"node\.kubernetes\.io/instance-type|(topology|failure-domain\.beta)\.kubernetes\.io/.+|"
    r"node-role\.kubernetes\.io/(control-plane|master)|node\.kubernetes\.io/exclude-from-external-load-balancers|"
    r"(cloud\.google\.com|eks\.amazonaws\.com|k8s\.amazonaws\.com|kubernetes\.azure\.com|karpenter\..+|kops\.k8s\.io|"
    r"node\.kubernetes\.io|doks\.digitalocean\.com)/.+"
)
_TALOS = re.compile(r"extensions\.talos\.dev/.+")


@dataclass(frozen=True)
class Makers:
    """Everything that makes labels in a scene.

    `values` holds labels with the values that they can have; None: any. `foreign` are rules that no NVIDIA card meets,
    `unread` the labels of rules that no NFD reads.
    """

    values: dict[str, frozenset[str] | None] = field(default_factory=dict)
    patterns: tuple[str, ...] = ()
    pci: tuple[PciFormat, ...] = ()
    foreign: tuple[NfdRule, ...] = ()
    unread: frozenset[str] = frozenset()
    nfd: bool = False
    gfd: bool = False
    operator: bool = False
    talos: bool = True

    def makes(self, label: str, asking: Program | None = None) -> bool:
        """Return whether somebody makes a label in time for the program that asks; nobody can wait for itself."""
        if label in self.values or _PLATFORM.fullmatch(label) or (self.talos and _TALOS.fullmatch(label)):
            return True
        return asking is not Program.NFD_WORKER and self._published(label, asking)

    def _published(self, label: str, asking: Program | None) -> bool:
        """Return whether NFD, GFD or the GPU Operator publishes a label."""
        if PCI_PRESENT.fullmatch(label):
            return any(form.makes(label) for form in self.pci)
        return (
            any(re.fullmatch(pattern, label) for pattern in self.patterns)
            or (self.operator and _OPERATOR.fullmatch(label) is not None)
            or (self.gfd and asking is not Program.GFD and _GFD.fullmatch(label) is not None)
            or (self.nfd and _NFD.fullmatch(label) is not None)
        )

    def can_be(self, label: str, values: tuple[str, ...]) -> bool:
        """Return whether the label can have one of some values; a value that nobody knows is a possible one."""
        if label == MODEL_VENDOR and label not in self.values:
            # A CPU of NVIDIA's is that of a Tegra board, which has no PCI card.
            return any(value != "NVIDIA" for value in values)
        known = self.values.get(label)
        if known is None and PCI_PRESENT.fullmatch(label):
            known = frozenset({"true"})
        return known is None or bool(known & set(values))

    def closest(self, label: str) -> str | None:
        """Return the label that is made and most like this one."""
        if PCI_PRESENT.fullmatch(label) and self.pci:
            made = [example for form in self.pci for example in form.examples() if example != label]
            if made:
                return made[0]
        close = get_close_matches(label, [known for known in self.values if known != label], n=1, cutoff=0.75)
        return close[0] if close else None


def makers(scene: Scene) -> Makers:
    """Return who makes labels in a scene."""
    return scene.once(_makers)


def _makers(scene: Scene) -> Makers:
    found: dict[str, set[str] | None] = {}
    given = list(node_feature_rules(scene))
    rules = [*(given if _nfd_reads_rules(scene) else ()), *worker_rules(scene)]
    for label, value in (*_declared(scene), *(pair for rule in rules if rule.fits for pair in rule.labels)):
        known = found.setdefault(label, set())
        if value is None or known is None:
            found[label] = None
        else:
            known.add(value)
    return Makers(
        {label: None if known is None else frozenset(known) for label, known in found.items()},
        tuple(pattern for rule in rules if rule.fits for pattern in rule.patterns),
        tuple(worker_formats(scene)),
        tuple(rule for rule in rules if not rule.fits),
        frozenset() if _nfd_reads_rules(scene) else frozenset(label for rule in given for label, _ in rule.labels),
        nfd=any(running(scene, Program.NFD_WORKER)) or _nfd_elsewhere(scene),
        gfd=any(running(scene, Program.GFD)),
        operator=any(running(scene, Program.OPERATOR)) or any(scene.of_kind("ClusterPolicy")),
        talos=scene.pools is None or any(pool.talos for pool in scene.pools),
    )


def _nfd_reads_rules(scene: Scene) -> bool:
    """Return whether an NFD master turns NodeFeatureRules into labels."""
    return any(running(scene, Program.NFD_MASTER)) or _nfd_elsewhere(scene)


def _nfd_elsewhere(scene: Scene) -> bool:
    """Return whether somebody else's NFD runs on the cluster, or may."""
    return not scene.whole or any(name.endswith(".nfd.k8s-sigs.io") for name in scene.external_crds)


def _declared(scene: Scene) -> Iterator[tuple[str, str | None]]:
    for pool in scene.pools or ():
        yield from pool.labels.items()
    for label in scene.external_labels:
        yield label, None
    for item in scene.of_kind("Node"):
        yield from texts(item.get("metadata", "labels")).items()
    for item in scene.of_kind("NodeFeature"):
        yield from texts(item.get("spec", "labels")).items()
