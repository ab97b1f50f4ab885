"""A pod selects nodes by a label that nothing makes.

What it does: for every label that a pod of the GPU stack, or a pod that requests a GPU, demands of its node, looks for
whoever makes it: NFD (with the exact form that its worker's configuration gives to PCI labels), a NodeFeatureRule that
an NVIDIA card can meet, GPU Feature Discovery, a node pool that declares it, or the platform. Of several
nodeSelectorTerms one must be possible.

Why it fails at run time: no node matches, so a DaemonSet has 0 pods, and Flux and Argo CD call that healthy. Nothing in
a stack without the GPU Operator sets `nvidia.com/gpu.present`; NFD's default PCI label is `pci-0300_10de.present`,
while the device plugin's chart wants `pci-10de.present`. Sources: siderolabs/talos#12103, k8s-device-plugin#315, #607
and #1213; node-feature-discovery, source/pci/pci.go.

How to mend it: select a label that is made, or make the one that is selected.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.certainty import if_nothing_else
from compiler.check.objects.labels import GPU_PRESENT, Makers, makers
from compiler.check.objects.nfd import NAMESPACE, PCI_PRESENT, NfdRule
from compiler.check.objects.nodes import Requirement, selector, terms
from compiler.check.objects.programs import Program, gpu_requests, stack_pods
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import PodTemplate, Scene
from compiler.diagnostics import Related, Severity

_NOTHING = "which nothing makes"
_BY_DEFAULT = f"{NAMESPACE}pci-0300_10de.present"


def _check(scene: Scene) -> Iterator[Finding]:
    pods: dict[int, tuple[PodTemplate, Program | None]] = {
        id(item.pod): (item.pod, None) for item in gpu_requests(scene)
    }
    pods |= {id(item.pod): (item.pod, item.program) for item in stack_pods(scene)}
    made = makers(scene)
    for pod, program in pods.values():
        for item in selector(pod):
            if not _possible(made, item, program):
                yield _finding(scene, pod, made, [item], program)
        ways = terms(pod)
        failing = [[item for item in way if not _possible(made, item, program)] for way in ways]
        if ways and all(failing):
            yield _finding(scene, pod, made, [way[0] for way in failing], program)


def _possible(made: Makers, item: Requirement, program: Program | None) -> bool:
    if not item.needs_label:
        return True
    return made.makes(item.label, program) and (item.operator != "In" or made.can_be(item.label, item.values))


def _finding(
    scene: Scene, pod: PodTemplate, made: Makers, items: list[Requirement], program: Program | None
) -> Finding:
    first = items[0]
    wanted = ", or ".join(dict.fromkeys(_wanted(made, item, program) for item in items))
    if not scene.whole:
        wanted = wanted.replace(_NOTHING, "which nothing in these files makes")
    # Labels of NFD's own namespace come from NFD alone: nobody has to know the nodes to say so.
    certain = scene.pools is not None or (scene.whole and first.label.startswith(NAMESPACE))
    effect = "it gets 0 pods, and Flux and Argo CD call that healthy"
    if pod.owner.kind != "DaemonSet":
        effect = "its pods stay Pending"
    related = tuple(Related("made here, for other nodes only", rule.place) for rule in _foreign(made, first.label))
    related += tuple(
        Related("named by this configuration", form.file)
        for form in made.pci
        if form.file and PCI_PRESENT.fullmatch(first.label)
    )
    return Finding(
        f"{pod} runs only on nodes with {wanted}: {effect}",
        pod.place(*first.route, key=first.route[0] == "nodeSelector"),
        _cure(made, items),
        related,
        if_nothing_else(scene) if certain else Severity.WARNING,
    )


def _foreign(made: Makers, label: str) -> list[NfdRule]:
    """Return the rules that make a label, but not for a node with an NVIDIA card."""
    return [rule for rule in made.foreign if any(label == name for name, _ in rule.labels)]


def _wanted(made: Makers, item: Requirement, program: Program | None) -> str:
    value = f"={item.values[0]}" if item.operator == "In" and len(item.values) == 1 else ""
    if made.makes(item.label) and not made.makes(item.label, program) and program:
        return f"{item.label}{value}, which it is itself to make"
    if made.makes(item.label):
        known = ", ".join(sorted(made.values.get(item.label) or {"true"}))
        if item.label in made.values or PCI_PRESENT.fullmatch(item.label):
            return f"{item.label}{value}, which is only ever {known}"
        return f"{item.label}{value}, which is a board without a PCI card"
    if _foreign(made, item.label):
        return f"{item.label}{value}, which a rule makes, but not for an NVIDIA card"
    return f"{item.label}{value}, {_NOTHING}"


def _cure(made: Makers, items: list[Requirement]) -> str:
    for item in items:
        if PCI_PRESENT.fullmatch(item.label) and (cure := _pci_cure(made, item.label)):
            return cure
        if item.label in made.unread:
            return "a NodeFeatureRule makes it, but nothing runs NFD: add NFD's master and worker"
        if _foreign(made, item.label):
            return "let the rule match PCI vendor 10de, class 0300 or 0302"
    for item in items:
        close = made.closest(item.label)
        if close:
            return f"did you mean {close}? Or declare {item.label} on the node pool that carries it"
        if item.label == GPU_PRESENT:
            return (
                f"add a NodeFeatureRule that sets {GPU_PRESENT} for PCI vendor 10de, or declare it on the node pool "
                "that carries it; GPU Feature Discovery does not make it"
            )
    return "select a label that is made, or declare this one on the node pool that carries it"


def _pci_cure(made: Makers, label: str) -> str | None:
    """Return both ways out where NFD's label for a card has another form, as it is known or as it is by default."""
    close = made.closest(label) if made.pci else _BY_DEFAULT
    if close is None or close == label:
        return None
    unless = "" if made.pci else "unless it is told otherwise, "
    fields = _fields(label)
    return f"{unless}NFD makes {close}: select that, or give NFD's worker sources.pci.deviceLabelFields: {fields}"


def _fields(label: str) -> str:
    count = label.count("_") + 1
    return {1: "[vendor]", 2: "[class, vendor]", 3: "[class, vendor, device]"}.get(count, "[class, vendor, ...]")


RULE = SceneRule("GPU201", "label-chain", _check)
