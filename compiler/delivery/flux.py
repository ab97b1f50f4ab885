"""Flux Kustomizations: the stack, monitoring beside it, and the gate that is ready when the GPUs are there.

A DaemonSet with 0 pods is healthy for Flux, so the stack's Ready proves nothing about GPUs. The gate's does: its health
checks ask the nodes. Applications depend on the gate. Monitoring does not: its alerts are for when GPUs are missing.
"""

from __future__ import annotations

from compiler.delivery.expected import by_node
from compiler.kustomize.tree import Tree
from compiler.model.delivery import DependsOn, Flux, GitSource
from compiler.model.environment import Environment
from compiler.objects import Obj

GATE_TIMEOUT = "1m"


def add(tree: Tree, environment: Environment) -> None:
    """Add `flux/<overlay>/`, a Kustomize root, where the stack is delivered by Flux."""
    settings = environment.stack.delivery.flux
    if settings is None:
        return
    folder = f"flux/{environment.name}"
    overlay = f"overlays/{environment.name}"
    stack = _name(settings, "stack")
    objects = [_repository(settings, settings.source)] if isinstance(settings.source, GitSource) else []
    objects.append(_kustomization(settings, "stack", overlay, settings.depends_on))
    if f"{overlay}/monitoring" in tree.roots:
        after = (DependsOn(name=stack), *settings.monitoring_depends_on)
        objects.append(_kustomization(settings, "monitoring", f"{overlay}/monitoring", after))
    nodes = by_node(environment)
    if nodes:
        gate = _kustomization(settings, "gate", f"{folder}/gate", (DependsOn(name=stack),))
        gate["spec"] |= {"interval": settings.gate_interval, "timeout": GATE_TIMEOUT, "wait": False}
        gate["spec"] |= _health(nodes)
        objects.append(gate)
        tree.add_root(f"{folder}/gate", [_gate_config(environment, nodes)], environment.stack.kubernetes.version)
    tree.add_root(folder, objects, environment.stack.kubernetes.version)


def _name(settings: Flux, what: str) -> str:
    return f"{settings.name_prefix}-{what}"


def _metadata(settings: Flux, name: str) -> Obj:
    return {"name": name, "namespace": settings.namespace, "labels": {"app.kubernetes.io/managed-by": "gpuc"}}


def _repository(settings: Flux, source: GitSource) -> Obj:
    secret = {"secretRef": {"name": source.secret_ref.name}} if source.secret_ref else {}
    return {
        "apiVersion": "source.toolkit.fluxcd.io/v1",
        "kind": "GitRepository",
        "metadata": _metadata(settings, source.name),
        "spec": {"interval": source.interval, "url": source.url, "ref": {"branch": source.branch}, **secret},
    }


def _kustomization(settings: Flux, what: str, path: str, after: tuple[DependsOn, ...]) -> Obj:
    """Return a Kustomization; `path` is relative to out/."""
    source = settings.source
    reference = {"kind": "GitRepository" if isinstance(source, GitSource) else source.kind, "name": source.name}
    if not isinstance(source, GitSource) and source.namespace:
        reference["namespace"] = source.namespace
    depends = [{"name": item.name, **({"namespace": item.namespace} if item.namespace else {})} for item in after]
    account = settings.service_account_name
    return {
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
        "kind": "Kustomization",
        "metadata": _metadata(settings, _name(settings, what)),
        "spec": {
            **({"dependsOn": depends} if depends else {}),
            **({"serviceAccountName": account} if account else {}),
            "sourceRef": reference,
            "path": f"./{settings.path.removeprefix('./')}/{path}",
            "interval": settings.interval,
            "retryInterval": settings.retry_interval,
            "timeout": settings.timeout,
            "prune": settings.prune,
            "wait": settings.wait,
        },
    }


def _health(nodes: dict[str, dict[str, int]]) -> Obj:
    """Return the health checks of the gate.

    Flux takes one set of expressions a kind, so nodes of different pools are told apart by name within it. A freshly
    registered node has no allocatable yet. Source: fluxcd/pkg/runtime/cel, NewStatusReader.
    """
    groups: dict[str, list[str]] = {}
    for name, count in sorted(nodes.items()):
        groups.setdefault(" && ".join(_has(resource, amount) for resource, amount in sorted(count.items())), []).append(
            name
        )
    if len(groups) == 1:
        (condition,) = groups
    else:
        parts = [f"(metadata.name in {_strings(names)} && {ask})" for ask, names in groups.items()]
        condition = f"({' || '.join(parts)})"
    return {
        "healthChecks": [{"apiVersion": "v1", "kind": "Node", "name": name} for name in sorted(nodes)],
        "healthCheckExprs": [
            {"apiVersion": "v1", "kind": "Node", "current": f"has(status.allocatable) && {condition}"}
        ],
    }


def _has(resource: str, amount: int) -> str:
    return f"'{resource}' in status.allocatable && status.allocatable['{resource}'] == '{amount}'"


def _strings(names: list[str]) -> str:
    return "[" + ", ".join(f"'{name}'" for name in names) + "]"


def _gate_config(environment: Environment, nodes: dict[str, dict[str, int]]) -> Obj:
    """Return the one object that the gate applies: what the nodes are waited to advertise."""
    shown = {
        name: ", ".join(f"{resource}={amount}" for resource, amount in sorted(count.items()))
        for name, count in nodes.items()
    }
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": "gpu-gate",
            "namespace": environment.stack.namespace_name,
            "labels": {"app.kubernetes.io/managed-by": "gpuc"},
        },
        "data": dict(sorted(shown.items())),
    }
