"""A pod mounts or reads a ConfigMap, or a key of one, that is not there.

What it does: looks up every ConfigMap that pods of the stack mount or read variables from, and every key of ConfigMaps
and Secrets that are there, for all pods. Optional references are left alone, and so are Secrets that are not among the
objects: they seldom are in git.

Why it fails at run time: the kubelet waits for the object or key for ever ("MountVolume.SetUp failed",
"CreateContainerConfigError"); the pod never starts. Source: k8s.io/kubernetes pkg/volume/configmap.

How to mend it: correct the name or key, or add it.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.mounts import sources
from compiler.check.objects.plain import items, mapping, text
from compiler.check.objects.programs import stack_pods
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import PodTemplate, Route, Scene, pod_templates
from compiler.model.describe import suggest
from compiler.objects import Obj

_EVERYWHERE = frozenset({"kube-root-ca.crt"})
_Reference = tuple[str, Route, str, list[tuple[Route, str]]]


def _check(scene: Scene) -> Iterator[Finding]:
    own = {id(item.pod) for item in stack_pods(scene)}
    for pod in pod_templates(scene):
        for kind, route, name, keys in _references(pod):
            found = scene.find(kind, pod.owner.namespace, name)
            if found is not None:
                yield from _keys(pod, kind, found.obj, keys)
            elif id(pod) in own and scene.whole and _must_be_there(scene, kind, name):
                names = [item.name for item in scene.of_kind(kind) if item.namespace == pod.owner.namespace]
                meant = suggest(name, names)
                yield Finding(
                    f"{pod} needs the {kind} {name}, which is not in its namespace: its pods never start",
                    pod.place(*route),
                    f"did you mean {meant}?" if meant else f"add the {kind}, or correct the name",
                )


def _must_be_there(scene: Scene, kind: str, name: str) -> bool:
    return kind == "ConfigMap" and name not in _EVERYWHERE and (kind, name) not in scene.external_names


def _keys(pod: PodTemplate, kind: str, obj: Obj, keys: list[tuple[Route, str]]) -> Iterator[Finding]:
    there = [key for part in ("data", "binaryData", "stringData") for key in mapping(obj.get(part))]
    name = text(mapping(obj.get("metadata")).get("name"))
    for route, key in keys:
        if key not in there:
            yield Finding(
                f"{pod} needs the key {key} of the {kind} {name}, which does not have it: its pods never start",
                pod.place(*route),
                f"its keys: {', '.join(there) or 'none'}",
            )


def _references(pod: PodTemplate) -> Iterator[_Reference]:
    """Yield what a pod needs: kind, route of the name, name, and the keys with their routes."""
    for index, volume in items(pod.spec.get("volumes")):
        for kind, source in (("ConfigMap", "configMap"), ("Secret", "secret")):
            for within, reference in sources(volume, source):
                here = ("volumes", index, *within)
                named = "secretName" if source == "secret" and "projected" not in within else "name"
                keys = [
                    ((*here, "items", number, "key"), text(item.get("key")))
                    for number, item in items(reference.get("items"))
                ]
                if reference.get("optional") is not True:
                    yield kind, (*here, named), text(reference.get(named)), keys
    for route, container in pod.containers():
        yield from _variables(route, container)


def _variables(route: Route, container: Obj) -> Iterator[_Reference]:
    for index, variable in items(container.get("env")):
        for kind, source in (("ConfigMap", "configMapKeyRef"), ("Secret", "secretKeyRef")):
            reference = mapping(mapping(variable.get("valueFrom")).get(source))
            if reference and reference.get("optional") is not True:
                here = (*route, "env", index, "valueFrom", source)
                yield kind, (*here, "name"), text(reference.get("name")), [((*here, "key"), text(reference.get("key")))]
    for index, item in items(container.get("envFrom")):
        for kind, source in (("ConfigMap", "configMapRef"), ("Secret", "secretRef")):
            reference = mapping(item.get(source))
            if reference and reference.get("optional") is not True:
                yield kind, (*route, "envFrom", index, source, "name"), text(reference.get("name")), []


RULE = SceneRule("GPU217", "config-exists", _check)
