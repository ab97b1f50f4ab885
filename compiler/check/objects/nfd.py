"""Which labels NFD makes for a node with an NVIDIA card, from its worker's configuration and from rules.

Source: node-feature-discovery v0.19.0, source/pci/pci.go, source/custom/custom.go and pkg/apis/nfd/nodefeaturerule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from compiler.check.objects.mounts import files_at, read_yaml
from compiler.check.objects.plain import items, mapping, strings, text, texts
from compiler.check.objects.programs import Program, StackPod, running
from compiler.check.scene import Scene
from compiler.diagnostics import Place
from compiler.objects import Json, Obj

NAMESPACE = "feature.node.kubernetes.io/"
PCI_PRESENT = re.compile(re.escape(NAMESPACE) + r"pci-[0-9a-f_]+\.present")
VENDOR = "10de"
GPU_CLASSES = ("0300", "0302")
"""A VGA controller (GeForce) and a 3D controller (data-centre cards)."""
_FIELDS = ("class", "vendor", "device", "subsystem_vendor", "subsystem_device")
_DEFAULT_CLASSES = ("03", "0b40", "12")
_DEFAULT_FIELDS = ("class", "vendor")
_CONFIG = "/etc/kubernetes/node-feature-discovery/nfd-worker.conf"


@dataclass(frozen=True)
class PciFormat:
    """How one NFD worker names PCI devices: fields joined by `_`, for devices whose class starts as listed."""

    classes: tuple[str, ...]
    fields: tuple[str, ...]
    owner: StackPod
    file: Place | None

    def makes(self, label: str) -> bool:
        """Return whether the worker makes a label of the form pci-<fields>.present."""
        parts = label.removeprefix(f"{NAMESPACE}pci-").removesuffix(".present").split("_")
        if len(parts) != len(self.fields):
            return False
        values = dict(zip(self.fields, parts, strict=True))
        if "class" in values and not values["class"].startswith(self.classes):
            return False
        # A label without a class names a card of NVIDIA's only if a card's class is let through.
        return values.get("vendor") != VENDOR or "class" in values or bool(self._gpu_classes())

    def _gpu_classes(self) -> list[str]:
        return [known for known in GPU_CLASSES if known.startswith(self.classes)]

    def examples(self) -> list[str]:
        """Return the labels that an NVIDIA card gets, as far as they are known without its device numbers."""
        known = {"vendor": VENDOR, "subsystem_vendor": "<vendor>", "device": "<device>", "subsystem_device": "<device>"}
        found = {
            "_".join({**known, "class": card}[field] for field in self.fields): None for card in self._gpu_classes()
        }
        return [f"{NAMESPACE}pci-{name}.present" for name in found]


def worker_formats(scene: Scene) -> Iterator[PciFormat]:
    """Yield how each NFD worker in the scene names PCI devices; none for one that makes no such labels."""
    for worker, config, place in scene.once(_workers):
        chosen = strings(mapping(config.get("core")).get("labelSources"))
        flags = worker.argument("label-sources")
        chosen = flags.split(",") if flags else chosen
        if "-pci" in chosen or (chosen and not {"all", "pci"} & set(chosen) and not chosen[0].startswith("-")):
            continue
        pci = mapping(mapping(config.get("sources")).get("pci"))
        classes, fields = pci.get("deviceClassWhitelist"), strings(pci.get("deviceLabelFields"))
        yield PciFormat(
            tuple(known.lower() for known in strings(classes)) if isinstance(classes, list) else _DEFAULT_CLASSES,
            tuple(known for known in _FIELDS if known in fields) or _DEFAULT_FIELDS,
            worker,
            place,
        )


def _workers(scene: Scene) -> list[tuple[StackPod, Obj, Place | None]]:
    found = []
    for worker in running(scene, Program.NFD_WORKER):
        files = files_at(scene, worker.pod, worker.container, worker.argument("config") or _CONFIG)
        config = mapping(read_yaml(files[0].text)) if files else {}
        found.append((worker, config, files[0].place() if files else None))
    return found


@dataclass(frozen=True)
class NfdRule:
    """A rule that makes labels: which, with their values (None where a template gives them), and for which nodes.

    `patterns` match the labels whose very names a template makes. `fits` is True when a node with an NVIDIA card can
    meet the rule.
    """

    name: str
    labels: tuple[tuple[str, str | None], ...]
    patterns: tuple[str, ...]
    fits: bool
    place: Place


def node_feature_rules(scene: Scene) -> Iterator[NfdRule]:
    """Yield the rules of the NodeFeatureRule objects in the scene."""
    for item in scene.of_kind("NodeFeatureRule"):
        for index, rule in items(item.get("spec", "rules")):
            yield _rule(rule, item.name, item.place(("spec", "rules", index)))


def worker_rules(scene: Scene) -> list[NfdRule]:
    """Return the rules of the custom source in the configurations of the NFD workers in the scene."""
    return [
        _rule(rule, str(worker), place or worker.place())
        for worker, config, place in scene.once(_workers)
        for _, rule in items(mapping(config.get("sources")).get("custom"))
    ]


def _rule(rule: Obj, owner: str, place: Place) -> NfdRule:
    made: list[tuple[str, str | None]] = list(texts(rule.get("labels")).items())
    patterns = []
    for line in text(rule.get("labelsTemplate")).splitlines():
        # What stands between braces may come out as anything, or, as with `range`, as nothing.
        label, given, _ = re.sub(r"\{\{.*?\}\}", "{{}}", line.strip()).partition("=")
        if given and "{{}}" in label:
            patterns.append(".*".join(re.escape(part) for part in _qualified(label).split("{{}}")))
        elif given:
            made.append((label.strip(), None))
    matched = any(_fits(item.get("matchFeatures")) for _, item in items(rule.get("matchAny")))
    fits = _fits(rule.get("matchFeatures")) and (matched or not rule.get("matchAny"))
    return NfdRule(
        f"{owner}/{text(rule.get('name'))}",
        tuple((_qualified(label), value) for label, value in made),
        tuple(patterns),
        fits,
        place,
    )


def _qualified(label: str) -> str:
    return label if "/" in label else NAMESPACE + label


def _fits(features: Json) -> bool:
    for _, term in items(features):
        if term.get("feature") == "pci.device":
            wanted = mapping(term.get("matchExpressions"))
            if not _may_be(wanted.get("vendor"), (VENDOR,)) or not _may_be(wanted.get("class"), GPU_CLASSES):
                return False
    return True


def _may_be(expression: Json, values: tuple[str, ...]) -> bool:
    if not isinstance(expression, dict):
        return True
    given = strings(expression.get("value"))
    match expression.get("op"):
        case "In":
            return bool(set(given) & set(values))
        case "NotIn":
            return not set(values) <= set(given)
        case "DoesNotExist" | "IsFalse":
            return False
        case "InRegexp":
            return any(_searches(pattern, value) for pattern in given for value in values)
        case _:
            return True


def _searches(pattern: str, value: str) -> bool:
    # A pattern comes from an input, and Python's may take for ever where Go's cannot: only plain ones are tried.
    if re.search(r"[(){}*+\\]", pattern):
        return True
    return re.search(pattern, value) is not None if _compiles(pattern) else True


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True
