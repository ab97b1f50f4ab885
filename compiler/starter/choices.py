"""What somebody chose on the command line of `gpuc init` and `gpuc import`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final, Literal

from pydantic import TypeAdapter, ValidationError

from compiler.model.kube import Taint
from compiler.model.overlay import Node

NAMESPACE: Final = "gpu-system"
KUBERNETES: Final = "1.34"
_TAINT: Final = re.compile(r"(?P<key>[^=:]+)(=(?P<value>[^=:]*))?:(?P<effect>[^=:]+)")
_POOL: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")


@dataclass(frozen=True)
class NodeChoice:
    """A node that was named, and its pool where that was said too."""

    name: str
    address: str | None = None
    pool: str | None = None


@dataclass(frozen=True)
class Choices:
    """Everything that can be chosen; None and empty mean that nothing was said."""

    name: str | None = None
    cluster: str | None = None
    namespace: str | None = None
    nodes: tuple[NodeChoice, ...] = ()
    taints: tuple[Taint, ...] = ()
    product: str | None = None
    memory: str | None = None
    count: int | None = None
    replicas: int | None = None
    os: Literal["talos", "generic"] | None = None
    os_version: str | None = None
    kubernetes: str | None = None
    monitoring: bool | None = None
    flux: str | None = None
    argocd: str | None = None


def node(text: str) -> NodeChoice:
    """Return the node of `[POOL=]NAME[:ADDRESS]`. Raises ValueError with a sentence for the user."""
    pool, equals, rest = text.rpartition("=")
    name, _, address = rest.partition(":")
    wanted = {"name": name, **({"address": address} if address else {})}
    if (equals and not _POOL.fullmatch(pool)) or not _fits(Node, wanted):
        raise ValueError(
            f"`{text}` is no node: write NAME or NAME:ADDRESS, such as gpu-1:192.168.1.20; POOL=NAME says its node pool"
        )
    return NodeChoice(name, address or None, pool or None)


def taint(text: str) -> Taint:
    """Return the taint of `KEY[=VALUE]:EFFECT`, as kubectl writes it. Raises ValueError with a sentence."""
    match = _TAINT.fullmatch(text)
    data = {"key": match["key"], "value": match["value"] or "", "effect": match["effect"]} if match else {}
    if not _fits(Taint, data):
        raise ValueError(f"`{text}` is no taint: write it as kubectl does, such as dedicated=ai:NoSchedule")
    return Taint.model_validate_json(json.dumps(data))


def _fits(model: type[Node | Taint], data: dict[str, str]) -> bool:
    try:
        TypeAdapter(model).validate_json(json.dumps(data))
    except ValidationError:
        return False
    return True
