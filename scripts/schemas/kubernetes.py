"""JSON Schemas of Kubernetes' own kinds, cut out of the `kubernetes-validate` package.

Each kind gets a file with just the definitions that it reaches. The six kinds that hold a pod share the pod's
definitions in `_pod.json` of their version: the same speed in kubeconform, and a third of the bytes.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from scripts.schemas.shape import DRAFT, SET_BY_SERVER, Schema, dump, lean, references

MINORS = range(29, 38)

# (group and version as in apiVersion) -> kinds
KINDS: dict[str, tuple[str, ...]] = {
    "v1": (
        "ConfigMap",
        "Namespace",
        "PersistentVolumeClaim",
        "Pod",
        "ResourceQuota",
        "Secret",
        "Service",
        "ServiceAccount",
    ),
    "apiextensions.k8s.io/v1": ("CustomResourceDefinition",),
    "apps/v1": ("DaemonSet", "Deployment", "StatefulSet"),
    "batch/v1": ("CronJob", "Job"),
    "networking.k8s.io/v1": ("NetworkPolicy",),
    "node.k8s.io/v1": ("RuntimeClass",),
    "rbac.authorization.k8s.io/v1": ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"),
    "scheduling.k8s.io/v1": ("PriorityClass",),
}

_PREFIXES = ("io.k8s.api.", "io.k8s.apimachinery.pkg.", "io.k8s.apiextensions-apiserver.pkg.apis.")
_POD = "core.v1.PodTemplateSpec"
_META = "apis.meta.v1.ObjectMeta"
_SOURCE = "kubernetes-json-schema"


def generate() -> dict[str, str]:
    """Return path (below compiler/schemas/) -> text of the schemas of every selectable Kubernetes version."""
    files: dict[str, str] = {}
    for minor in MINORS:
        for path, text in _version(minor).items():
            files[f"kubernetes/v1.{minor}.0/{path}"] = text
    return files


def _version(minor: int) -> dict[str, str]:
    folder = resources.files("kubernetes_validate") / _SOURCE / f"v1.{minor}.0-local-strict"
    source = json.loads((folder / "_definitions.json").read_text("utf-8"))["$defs"]
    definitions = {_short(name): _adapt(definition) for name, definition in source.items()}
    for name in SET_BY_SERVER:
        definitions[_META]["properties"].pop(name, None)
    pod = _reached({"$ref": f"#/definitions/{_POD}"}, definitions)
    files = {"_pod.json": dump({"$schema": DRAFT, "definitions": pod})}
    for api_version, kinds in KINDS.items():
        group, _, version = api_version.rpartition("/")
        suffix = f"{group.partition('.')[0]}-{version}" if group else version
        for kind in kinds:
            top = _adapt(json.loads((folder / f"{kind.lower()}-{suffix}.json").read_text("utf-8")))
            top["properties"].pop("status", None)  # the API server ignores it in a manifest
            top["required"] = sorted({*top.get("required", ()), "apiVersion", "kind", "metadata"})
            files[f"{group or version}/{kind.lower()}_{version}.json"] = dump(_standalone(top, definitions, pod))
    return files


def _standalone(top: Schema, definitions: dict[str, Schema], pod: dict[str, Schema]) -> Schema:
    """Return a kind's schema with the definitions that it needs, those of the pod by reference to the shared file."""
    reached = _reached(top, definitions)
    schema = {"$schema": DRAFT, **top}
    if _POD not in reached and "core.v1.PodSpec" not in reached:
        return {**schema, "definitions": reached}
    own = {name: definition for name, definition in reached.items() if name not in pod}
    pointing: Schema = _pointing_at_pod({**schema, **({"definitions": own} if own else {})}, frozenset(pod))
    return pointing


def _pointing_at_pod(schema: Any, shared: frozenset[str]) -> Any:
    if isinstance(schema, list):
        return [_pointing_at_pod(item, shared) for item in schema]
    if not isinstance(schema, dict):
        return schema
    ref = schema.get("$ref")
    if isinstance(ref, str) and _name(ref) in shared:
        return {"$ref": f"../_pod.json{ref}"}
    return {key: _pointing_at_pod(value, shared) for key, value in schema.items()}


def _reached(schema: Schema, definitions: dict[str, Schema]) -> dict[str, Schema]:
    reached: dict[str, Schema] = {}
    waiting = [_name(ref) for ref in references(schema)]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached[name] = definitions[name]
            waiting += [_name(ref) for ref in references(definitions[name])]
    return reached


def _adapt(schema: Any) -> Any:
    """Return a schema without prose and null, its references pointing into the same file under short names."""
    return _with_short_references(lean(schema))


def _with_short_references(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_with_short_references(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if isinstance(schema.get("$ref"), str):
        return {"$ref": f"#/definitions/{_short(_name(schema['$ref']))}"}
    return {key: _with_short_references(value) for key, value in schema.items()}


def _name(ref: str) -> str:
    return ref.rpartition("/")[2]


def _short(name: str) -> str:
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name
