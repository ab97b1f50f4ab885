"""What rules on finished manifests read: the objects of one cluster, and what is known of its nodes.

`gpuc compile` makes a scene of what kustomize built, `gpuc lint` one of manifests that gpuc did not make. Rules see no
difference, except in what is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from compiler.diagnostics import Place
from compiler.model.kube import Taint
from compiler.objects import Json, Obj, ObjectId, object_id, value_at

Route = tuple[str | int, ...]
T = TypeVar("T")


class Locator(Protocol):
    """Finds where a field of an object was written."""

    def __call__(self, route: Route, /, *, key: bool = False) -> Place:
        """Return the place of the value at a route of the object, or of its key; the nearest there is."""


@dataclass(frozen=True)
class Located:
    """An object, and the means to blame a line of somebody's input for any field of it.

    `traced` is True where the locator also knows the line behind a field that is not there: a patch that took it away,
    or the setting that it would follow from.
    """

    obj: Obj
    place: Locator = field(repr=False, compare=False)
    traced: bool = field(default=False, repr=False, compare=False)

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
        return str(self.obj["metadata"].get("namespace") or "")

    @property
    def group(self) -> str:
        """The API group, without its version; empty for the core group."""
        return str(self.obj["apiVersion"]).rpartition("/")[0]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

    def absent(self, *route: str | int) -> Place:
        """Return where to blame that a field is not there: the line behind it, or the object's name."""
        return self.place(route, key=True) if self.traced else self.place(("metadata", "name"))

    def get(self, *route: str | int) -> Json:
        """Return the value at a route, or None where there is none."""
        return value_at(self.obj, route)


@dataclass(frozen=True)
class NodeFacts:
    """GPU nodes that are alike, as far as is known.

    `names` is empty where nodes are known by label only. `labels` are those that the nodes carry without anybody in the
    scene making them: declared on the pool, or seen on the cluster. `place` is where the nodes were described.
    `advertised` is what each node is to offer, by resource name, and `cards` how many GPUs it has; `sharing` is
    `time-slicing`, `mps` or `none`. Each is None where it is not known.
    """

    pool: str
    names: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    talos: tuple[int, int] | None = None
    advertised: Mapping[str, int] | None = None
    place: Place | None = None
    cards: int | None = None
    sharing: str | None = None


@dataclass(frozen=True)
class Scene:
    """The objects that are applied to one cluster.

    `pools` is None where nothing is known of the nodes; rules about taints and nodes then keep silent, and the caller
    says so once. `external_labels` are made by somebody outside the scene, `external_crds` (such as
    `servicemonitors.monitoring.coreos.com`) and `external_names` (namespaces, RuntimeClasses) exist already.
    `whole` is True when nothing else is applied to the cluster for its GPUs: what is missing is then missing.
    `default_runtime` is True where containerd starts every container with NVIDIA's runtime, so that no RuntimeClass is
    needed; None where nobody said.
    """

    objects: Sequence[Located]
    pools: tuple[NodeFacts, ...] | None
    external_labels: frozenset[str] = frozenset()
    external_crds: frozenset[str] = frozenset()
    external_names: frozenset[tuple[str, str]] = frozenset()
    whole: bool = True
    default_runtime: bool | None = None
    _known: dict[Callable[..., Any], Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, compute: Callable[[Scene], T]) -> T:
        """Return what a function makes of this scene; it runs once, however many rules ask."""
        if compute not in self._known:
            self._known[compute] = compute(self)
        found: T = self._known[compute]
        return found

    def of_kind(self, *kinds: str) -> Iterator[Located]:
        """Yield the objects of some kinds, kind by kind."""
        by_kind = self.once(_by_kind)
        for kind in kinds:
            yield from by_kind.get(kind, ())

    def find(self, kind: str, namespace: str, name: str) -> Located | None:
        """Return the object of that name; `namespace` is empty for cluster-scoped kinds."""
        return self.once(_by_name).get((kind, namespace, name))


def _by_kind(scene: Scene) -> dict[str, list[Located]]:
    found: dict[str, list[Located]] = {}
    for item in scene.objects:
        found.setdefault(item.kind, []).append(item)
    return found


def _by_name(scene: Scene) -> dict[tuple[str, str, str], Located]:
    return {(item.kind, item.namespace, item.name): item for item in scene.objects}


@dataclass(frozen=True)
class PodTemplate:
    """The pod of a workload: where it stands in its object, and what it is."""

    owner: Located
    route: Route
    spec: Obj
    labels: Mapping[str, str]

    def __str__(self) -> str:
        return f"{self.owner.kind} {self.owner.name}"

    def place(self, *route: str | int, key: bool = False) -> Place:
        """Return the place of a field of the pod's spec."""
        return self.owner.place((*self.route, "spec", *route), key=key)

    def absent(self, *route: str | int) -> Place:
        """Return where to blame that a field of the pod's spec is not there."""
        return self.owner.absent(*self.route, "spec", *route)

    def get(self, *route: str | int) -> Json:
        """Return the value at a route of the pod's spec, or None where there is none."""
        return self.owner.get(*self.route, "spec", *route)

    def containers(self) -> Iterator[tuple[Route, Obj]]:
        """Yield every container with its route within the pod's spec, init containers first."""
        for key in ("initContainers", "containers"):
            containers = self.spec.get(key)
            for index, container in enumerate(containers if isinstance(containers, list) else []):
                if isinstance(container, dict):
                    yield (key, index), container


_TEMPLATE: dict[str, Route] = {
    **dict.fromkeys(("DaemonSet", "Deployment", "Job", "ReplicaSet", "StatefulSet"), ("spec", "template")),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
    "Pod": (),
}


def pod_templates(scene: Scene) -> tuple[PodTemplate, ...]:
    """Return the pods of every workload in the scene."""
    return scene.once(_pod_templates)


def _pod_templates(scene: Scene) -> tuple[PodTemplate, ...]:
    found = []
    for item in scene.of_kind(*_TEMPLATE):
        route = _TEMPLATE[item.kind]
        spec = item.get(*route, "spec")
        if isinstance(spec, dict):
            labels = item.get(*route, "metadata", "labels")
            found.append(PodTemplate(item, route, spec, labels if isinstance(labels, dict) else {}))
    return tuple(found)
