"""GPU nodes in the output of `kubectl get nodes -o json`, which may hold anything."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from compiler.diagnostics import Diagnostic, Place
from compiler.errors import InputError
from compiler.model.kube import Taint
from compiler.model.overlay import Node
from compiler.objects import Json, Obj, value_at

NO_NODES = "GPU072"
# Taints that Kubernetes sets and takes away itself, by the state of a node.
_PASSING: Final = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "node.cilium.io/")
_PCI: Final = re.compile(r"feature\.node\.kubernetes\.io/pci-([0-9a-f_]*_)?10de(_[0-9a-f_]*)?\.present")
_LONGEST_LABEL: Final = 317  # a prefix of 253 characters, a slash, and a name of 63
_TALOS: Final = re.compile(r"Talos \((v\d+\.\d+\.\d+[^)\s]*)\)")
_KUBELET: Final = re.compile(r"v?(1\.\d+)\.")
_EXTENSION: Final = "extensions.talos.dev/"
_DRIVERS: Final = re.compile(r"(nvidia-open-gpu-kernel-modules|nonfree-kmod-nvidia)-(production|lts)")
_SHARED: Final = re.compile(r"-(SHARED|MIG-.*)$")


@dataclass(frozen=True)
class GpuNode:
    """What a node tells of itself; empty and None where it tells nothing."""

    name: str
    address: str | None = None
    taints: tuple[Taint, ...] = ()
    talos: str | None = None
    kubernetes: str | None = None
    product: str | None = None
    memory: str | None = None
    count: int | None = None
    replicas: int | None = None
    strategy: str = "none"
    driver: str | None = None
    modules: str | None = None
    extensions: tuple[str, ...] = ()

    @property
    def alike(self) -> tuple[object, ...]:
        """What nodes of one pool have in common."""
        return (self.taints, self.talos, self.product, self.count, self.replicas, self.driver, self.modules)


@dataclass(frozen=True)
class Nodes:
    """The GPU nodes of a cluster, and whether every node that takes pods is tainted."""

    gpu: tuple[GpuNode, ...]
    all_tainted: bool = False
    why: dict[str, str] = field(default_factory=dict)


def read_nodes(text: str, path: str) -> Nodes:
    """Return the GPU nodes of a saved list. Raises InputError where it is none, or holds none."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise _refused(path, f"{path} is no JSON") from None
    items = list(_nodes(data))
    if not items:
        raise _refused(path, f"{path} holds no nodes")
    found: list[GpuNode] = []
    why: dict[str, str] = {}
    for item in items:
        reason = _why_gpu(item)
        if reason and _is_name(name := _text(_at(item, "metadata", "name"))):
            found.append(_node(name, item))
            why[name] = reason
    if not found:
        message = (
            f"none of the {len(items)} nodes in {path} shows an NVIDIA card: neither nvidia.com/gpu nor a label of "
            "NFD's for a PCI device 10de nor Talos' extensions.talos.dev/nvidia*"
        )
        raise InputError(Diagnostic(NO_NODES, message, Place(path), help="name the nodes with --node NAME:ADDRESS"))
    taken = [item for item in items if _at(item, "spec", "unschedulable") is not True]
    return Nodes(tuple(found), bool(taken) and all(_taints(item) for item in taken), why)


def _refused(path: str, message: str) -> InputError:
    return InputError(
        Diagnostic(NO_NODES, message, Place(path), help="save it with `kubectl get nodes -o json > FILE`")
    )


def _nodes(data: Json) -> Iterator[Obj]:
    items = data.get("items", [data]) if isinstance(data, dict) else data
    for item in items if isinstance(items, list) else []:
        if isinstance(item, dict) and item.get("kind", "Node") == "Node" and isinstance(item.get("metadata"), dict):
            yield item


def _at(value: Json, *route: str) -> Json:
    return value_at(value, route)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _is_name(name: str) -> bool:
    try:
        Node.model_validate({"name": name})
    except ValueError:
        return False
    return True


def _labels(item: Obj) -> dict[str, str]:
    labels = _at(item, "metadata", "labels")
    if not isinstance(labels, dict):
        return {}
    return {key: value for key, value in labels.items() if isinstance(value, str) and len(key) <= _LONGEST_LABEL}


def _why_gpu(item: Obj) -> str | None:
    """Return what shows that a node has an NVIDIA card."""
    for part in ("allocatable", "capacity"):
        for name, amount in (
            (_at(item, "status", part) or {}).items() if isinstance(_at(item, "status", part), dict) else ()
        ):
            if name.startswith(("nvidia.com/gpu", "nvidia.com/mig-")) and str(amount) != "0":
                return f"it offers {name}"
    labels = _labels(item)
    for name, value in sorted(labels.items()):
        if (name == "nvidia.com/gpu.present" or _PCI.fullmatch(name)) and value == "true":
            return f"label {name}"
        if name.startswith(f"{_EXTENSION}nvidia"):
            return f"label {name}"
    return None


def _taints(item: Obj) -> tuple[Taint, ...]:
    found = []
    for taint in _at(item, "spec", "taints") or [] if isinstance(_at(item, "spec", "taints"), list) else []:
        key = _text(_at(taint, "key"))
        if key.startswith(_PASSING):
            continue
        try:
            found.append(
                Taint.model_validate({"key": key, "value": _text(_at(taint, "value")), "effect": _at(taint, "effect")})
            )
        except ValueError:
            continue
    return tuple(found)


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 9 else None  # noqa: PLR2004


def _node(name: str, item: Obj) -> GpuNode:
    labels = _labels(item)
    talos = _TALOS.search(_text(_at(item, "status", "nodeInfo", "osImage")))
    kubelet = _KUBELET.match(_text(_at(item, "status", "nodeInfo", "kubeletVersion")))
    addresses = _at(item, "status", "addresses")
    own = [
        _text(_at(entry, "address"))
        for entry in (addresses if isinstance(addresses, list) else [])
        if _at(entry, "type") == "InternalIP"
    ]
    product = _SHARED.sub("", labels.get("nvidia.com/gpu.product", "")).replace("-", " ")
    memory = _number(labels.get("nvidia.com/gpu.memory"))
    count = _number(labels.get("nvidia.com/gpu.count"))
    replicas = _number(labels.get("nvidia.com/gpu.replicas"))
    strategy = labels.get("nvidia.com/gpu.sharing-strategy", "none")
    extensions = sorted(key.removeprefix(_EXTENSION) for key in labels if key.startswith(_EXTENSION))
    driver = next((match for one in extensions if (match := _DRIVERS.fullmatch(one))), None)
    return GpuNode(
        name=name,
        address=next((one for one in own if re.fullmatch(r"[0-9A-Za-z.:-]{1,253}", one)), None),
        taints=_taints(item),
        talos=talos[1] if talos else None,
        kubernetes=kubelet[1] if kubelet else None,
        product=product if product.isprintable() and product.strip() else None,
        memory=f"{memory}Mi" if memory else None,
        count=count if count and count <= 64 else None,  # noqa: PLR2004 -- the model's bound
        replicas=replicas if replicas and replicas > 1 and strategy in {"time-slicing", "mps"} else None,
        strategy=strategy if strategy in {"time-slicing", "mps"} else "none",
        driver=driver[2] if driver else None,
        modules=("open" if driver[1].startswith("nvidia-open") else "proprietary") if driver else None,
        extensions=tuple(
            f"siderolabs/{one}" for one in extensions if "nvidia" not in one and one not in _NOT_EXTENSIONS
        ),
    )


_NOT_EXTENSIONS: Final = frozenset({"schematic", "modules.dep"})
"""What Talos lists beside extensions."""
