"""What rules on finished manifests read: the objects of one cluster, and what is known of its nodes.

`gpuc compile` makes a scene of what kustomize built, `gpuc lint` one of manifests that gpuc did not make. Rules see no
difference, except in what is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from compiler.diagnostics import Place
from compiler.model.kube import Taint
from compiler.objects import Json, Obj, ObjectId, object_id

Route = tuple[str | int, ...]


class Locator(Protocol):
    """Finds where a field of an object was written."""

    def __call__(self, route: Route, /, *, key: bool = False) -> Place:
        """Return the place of the value at a route of the object, or of its key; the nearest there is."""


@dataclass(frozen=True)
class Located:
    """An object, and the means to blame a line of somebody's input for any field of it."""

    obj: Obj
    place: Locator = field(repr=False, compare=False)

    @property
    def id(self) -> ObjectId:
        """The object's identity."""
        return object_id(self.obj)

    @property
    def kind(self) -> str:
        """The object's kind."""
        return str(self.obj["kind"])

    @property
    def name(self) -> str:
        """The object's name."""
        return str(self.obj["metadata"]["name"])

    @property
    def namespace(self) -> str:
        """The object's namespace; empty where it has none."""
        return str(self.obj["metadata"].get("namespace", ""))

    def get(self, *route: str | int) -> Json:
        """Return the value at a route, or None where there is none."""
        value: Json = self.obj
        for segment in route:
            if isinstance(value, dict):
                value = value.get(segment)
            elif isinstance(value, list) and isinstance(segment, int) and segment < len(value):
                value = value[segment]
            else:
                return None
        return value


@dataclass(frozen=True)
class NodeFacts:
    """GPU nodes that are alike, as far as is known.

    `names` is empty where nodes are known by label only. `labels` are those that the nodes carry without anybody in the
    scene making them: declared on the pool, or seen on the cluster. `place` is where the nodes were described.
    """

    pool: str
    names: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    talos: tuple[int, int] | None = None
    advertised: Mapping[str, int] | None = None
    place: Place | None = None


@dataclass(frozen=True)
class Scene:
    """The objects that are applied to one cluster.

    `pools` is None where nothing is known of the nodes; rules about taints and nodes then keep silent, and the caller
    says so once. `external_labels` are made by somebody outside the scene, `external_crds` (such as
    `servicemonitors.monitoring.coreos.com`) and `external_names` (namespaces, RuntimeClasses) exist already.
    `whole` is True when nothing else is applied to the cluster for its GPUs: what is missing is then missing.
    """

    objects: Sequence[Located]
    pools: tuple[NodeFacts, ...] | None
    external_labels: frozenset[str] = frozenset()
    external_crds: frozenset[str] = frozenset()
    external_names: frozenset[tuple[str, str]] = frozenset()
    whole: bool = True

    def of_kind(self, *kinds: str) -> Iterator[Located]:
        """Yield the objects of some kinds."""
        return (item for item in self.objects if item.kind in kinds)


@dataclass(frozen=True)
class PodTemplate:
    """The pod of a workload: where it stands in its object, and what it is."""

    owner: Located
    route: Route
    spec: Obj
    labels: Mapping[str, str]

    def place(self, *route: str | int, key: bool = False) -> Place:
        """Return the place of a field of the pod's spec."""
        return self.owner.place((*self.route, "spec", *route), key=key)

    def containers(self) -> Iterator[tuple[Route, Obj]]:
        """Yield every container with its route within the pod's spec, init containers first."""
        for key in ("initContainers", "containers"):
            for index, container in enumerate(self.spec.get(key) or []):
                if isinstance(container, dict):
                    yield (key, index), container


_TEMPLATE: dict[str, Route] = {
    **dict.fromkeys(("DaemonSet", "Deployment", "Job", "ReplicaSet", "StatefulSet"), ("spec", "template")),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
    "Pod": (),
}


def pod_templates(scene: Scene) -> Iterator[PodTemplate]:
    """Yield the pods of every workload in the scene."""
    for item in scene.of_kind(*_TEMPLATE):
        route = _TEMPLATE[item.kind]
        spec = item.get(*route, "spec")
        if isinstance(spec, dict):
            labels = item.get(*route, "metadata", "labels")
            yield PodTemplate(item, route, spec, labels if isinstance(labels, dict) else {})
