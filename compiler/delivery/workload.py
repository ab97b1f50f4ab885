"""Kustomize Components that an application includes to run its pods on a pool: one a pool.

They add and never replace, which Kustomize makes harder than it looks (ADR 0003):

- a strategic merge patch replaces a pod's tolerations, and a JSON 6902 patch fails where there are none yet, so a
  component of its own first appends items that nobody has; a JSON 6902 patch then fills the last ones;
- they hold no object of their own: two applications of one parent could not both include it;
- the slice goes to the first container, the one that `kubectl` takes for the main one; a pod whose other container
  needs it includes `placement` and sets its limit itself.
"""

from __future__ import annotations

from compiler.components.placement import pool_selector
from compiler.components.pods import toleration
from compiler.delivery.snippets import readme
from compiler.kustomize.tree import HEADER, Tree
from compiler.model.advertised import advertised
from compiler.model.environment import Environment
from compiler.model.overlay import GPU_RESOURCE, NodePool, NoSharing
from compiler.objects import Obj
from compiler.yaml.emit import emit

FOLDER = "components/gpu-workload"
OPT_OUT = "gpu-workload!=false"
"""Label selector of what a component changes: everything that does not carry `gpu-workload: "false"`."""

_TEMPLATES = ("DaemonSet", "Deployment", "Job", "ReplicaSet", "StatefulSet")
_POD_PATHS = {"Pod": "spec", "CronJob": "spec.jobTemplate.spec.template.spec"} | dict.fromkeys(
    _TEMPLATES, "spec.template.spec"
)
_KINDS = ("|".join(_TEMPLATES), "CronJob", "Pod")
"""Kinds whose pods are in the same place, as a patch's target names them."""

_NEW_ITEM = "[gpuc={index}].gpuc"
"""Selects a list item that does not exist, so that `create` appends one; a patch then replaces it whole."""


def add(tree: Tree, environment: Environment) -> None:
    """Add the components of an environment's pools below `components/gpu-workload/<overlay>/`."""
    for pool in environment.overlay.node_pools:
        folder = f"{FOLDER}/{environment.name}/{pool.name}"
        selector = pool_selector(pool, environment.overlay.node_pools)
        resources = resource_names(pool)
        _add_placement(tree, f"{folder}/placement", environment, pool, selector)
        slice_of = resources[0] if len(resources) == 1 else None
        _add_component(
            tree, folder, {"components": ["placement"], "replacements": [_slice(slice_of)] if slice_of else []}
        )
        if slice_of:
            _add_quotas(tree, f"{folder}/quota", environment, pool, slice_of)
        runtime_class = environment.stack.runtime_class.name
        tree.add(f"{folder}/README.md", readme(folder, pool, runtime_class, selector, resources), "data")


def resource_names(pool: NodePool) -> list[str]:
    """Return the resources that pods on a pool ask for; none where they are MIG profiles that gpuc is not told."""
    count = advertised(pool)
    if count is not None:
        return sorted(count)
    if pool.mig.strategy == "mixed":
        return []
    renamed = not isinstance(pool.sharing, NoSharing) and pool.sharing.rename_by_default
    return [f"{GPU_RESOURCE}.shared" if renamed else GPU_RESOURCE]


def _add_component(tree: Tree, folder: str, content: Obj) -> None:
    head = {"apiVersion": "kustomize.config.k8s.io/v1alpha1", "kind": "Component"}
    text = HEADER + emit({**head, **{key: value for key, value in content.items() if value}})
    tree.add(f"{folder}/kustomization.yaml", text, "kustomization")


def _add_placement(tree: Tree, folder: str, environment: Environment, pool: NodePool, selector: dict[str, str]) -> None:
    tolerations = [toleration(taint.toleration()) for taint in pool.taints]
    spec = {"runtimeClassName": environment.stack.runtime_class.name, "nodeSelector": selector}
    patches = [_merge(kinds, spec) for kinds in _KINDS]
    if tolerations:
        patches += [_fill(kinds, tolerations) for kinds in _KINDS]
        room = [_NEW_ITEM.format(index=index) for index in range(len(tolerations))]
        _add_component(
            tree, f"{folder}/room", {"replacements": [_write("0", [f"tolerations.{item}" for item in room])]}
        )
    _add_component(tree, folder, {"components": ["room"] if tolerations else [], "patches": patches})


def _merge(kinds: str, spec: Obj) -> Obj:
    """Return a strategic merge patch for pods of some kinds; a mapping is merged, so other labels stay."""
    kind = kinds.partition("|")[0]
    nested: Obj = spec
    for key in reversed(_POD_PATHS[kind].split(".")):
        nested = {key: nested}
    text = emit({"apiVersion": "v1", "kind": kind, "metadata": {"name": "any"}, **nested})
    return {"target": {"kind": kinds, "labelSelector": OPT_OUT}, "patch": text}


def _fill(kinds: str, tolerations: list[Obj]) -> Obj:
    """Return a JSON 6902 patch that makes tolerations of a list's last items; -1 is the very last."""
    path = _POD_PATHS[kinds.partition("|")[0]].replace(".", "/")
    operations = [
        {"op": "replace", "path": f"/{path}/tolerations/{index - len(tolerations)}", "value": item}
        for index, item in enumerate(tolerations)
    ]
    return {"target": {"kind": kinds, "labelSelector": OPT_OUT}, "patch": emit(operations)}


def _write(value: str, fields: list[str]) -> Obj:
    """Return a replacement that writes a scalar into fields of the pods of every kind."""
    return {
        "sourceValue": value,
        "targets": [
            {
                "select": {"kind": kind, "labelSelector": OPT_OUT},
                "fieldPaths": [f"{path}.{field}" for field in fields],
                "options": {"create": True},
            }
            for kind, path in sorted(_POD_PATHS.items())
        ],
    }


def _slice(resource: str) -> Obj:
    return _write("1", [f"containers.0.resources.limits.[{resource}]"])


def _add_quotas(tree: Tree, folder: str, environment: Environment, pool: NodePool, resource: str) -> None:
    """Add a component with a ResourceQuota for every namespace that declares workloads on the pool.

    A quota counts a resource in the whole namespace, on whichever node, so it is the sum over all pools that advertise
    the resource under this name. Quotas of extended resources count requests only. Source: kubernetes.io, Resource
    Quotas.
    """
    pools = environment.overlay.node_pools
    same = {other.name for other in pools if resource_names(other) == [resource]}
    here = {item.namespace for item in environment.overlay.workloads if item.pool in (None, pool.name)}
    for namespace in sorted(here):
        count = sum(
            workload.slices
            for workload in environment.overlay.workloads
            if workload.namespace == namespace and (workload.pool is None or workload.pool in same)
        )
        quota = {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": f"gpu-{pool.name}", "namespace": namespace},
            "spec": {"hard": {f"requests.{resource}": str(count)}},
        }
        name = tree.add_object(f"{folder}/{namespace}", quota)
        _add_component(tree, f"{folder}/{namespace}", {"resources": [name]})
