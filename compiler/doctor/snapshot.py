"""What is known of a cluster at one moment, whichever way it was read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from compiler.doctor.data import name, namespace, text
from compiler.objects import Obj


class Kind(NamedTuple):
    """A kind of object, with its API group; the core group is empty."""

    group: str
    kind: str


class Known(Enum):
    """Whether a snapshot tells of a kind."""

    YES = "yes"
    NOT_SERVED = "the API server does not know the kind"
    NO = "not read"


NODE = Kind("", "Node")
NAMESPACE = Kind("", "Namespace")
POD = Kind("", "Pod")
EVENT = Kind("", "Event")
CONFIG_MAP = Kind("", "ConfigMap")
DAEMON_SET = Kind("apps", "DaemonSet")
DEPLOYMENT = Kind("apps", "Deployment")
RUNTIME_CLASS = Kind("node.k8s.io", "RuntimeClass")
NODE_FEATURE = Kind("nfd.k8s-sigs.io", "NodeFeature")
NODE_FEATURE_RULE = Kind("nfd.k8s-sigs.io", "NodeFeatureRule")
SERVICE_MONITOR = Kind("monitoring.coreos.com", "ServiceMonitor")
KUSTOMIZATION = Kind("kustomize.toolkit.fluxcd.io", "Kustomization")
GIT_REPOSITORY = Kind("source.toolkit.fluxcd.io", "GitRepository")
OCI_REPOSITORY = Kind("source.toolkit.fluxcd.io", "OCIRepository")
BUCKET = Kind("source.toolkit.fluxcd.io", "Bucket")
APPLICATION = Kind("argoproj.io", "Application")


def kind_of(obj: Obj) -> Kind:
    """Return the kind of an object."""
    group, slash, _ = text(obj, "apiVersion").partition("/")
    return Kind(group if slash else "", text(obj, "kind"))


@dataclass(frozen=True)
class Snapshot:
    """Objects by kind, and what else was read.

    Attributes:
        origin: where it comes from, for people.
        objects: by kind. A kind that was asked for and has none is there, with nothing.
        not_served: kinds that the API server does not know, because their CRD is missing.
        failures: why a kind could not be read, by kind.
        logs: of the device plugin, by name of the pod; under the empty name where nobody knows whose they are.
        notes: what people should know about the reading itself.
    """

    origin: str
    objects: Mapping[Kind, tuple[Obj, ...]]
    not_served: frozenset[Kind] = frozenset()
    failures: Mapping[Kind, str] = field(default_factory=dict)
    logs: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def known(self, kind: Kind) -> Known:
        """Say whether the snapshot tells of a kind."""
        if kind in self.objects:
            return Known.YES
        return Known.NOT_SERVED if kind in self.not_served else Known.NO

    def all(self, kind: Kind) -> tuple[Obj, ...]:
        """Return every object of a kind."""
        return self.objects.get(kind, ())

    def get(self, kind: Kind, wanted: str, where: str = "") -> Obj | None:
        """Return an object by name and namespace."""
        return next((obj for obj in self.all(kind) if name(obj) == wanted and namespace(obj) == where), None)


def by_kind(found: Iterable[Obj]) -> dict[Kind, tuple[Obj, ...]]:
    """Return objects by kind, each once: the last of several with one name and namespace."""
    grouped: dict[Kind, dict[tuple[str, str], Obj]] = {}
    for obj in found:
        grouped.setdefault(kind_of(obj), {})[namespace(obj), name(obj)] = obj
    return {kind: tuple(same.values()) for kind, same in grouped.items()}
