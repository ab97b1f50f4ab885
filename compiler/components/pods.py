"""Parts that pods of several components have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from compiler.model.base import Model
from compiler.model.kube import ContainerSettings, DaemonSettings, ImageSettings, Toleration
from compiler.model.overlay import NodePool
from compiler.model.stack import GPU_PRESENT, GPUStack
from compiler.objects import Json, Obj

POD_LABEL_INSTANCE = "app.kubernetes.io/instance"
_RBAC = "rbac.authorization.k8s.io"


def plain(model: Model) -> Obj:
    """Return a model as Kubernetes writes it, without what was left out."""
    return model.model_dump(mode="json", exclude_none=True, exclude_defaults=True)


def labels(name: str, component: str) -> dict[str, str]:
    """Return the labels of an object; name and component together also make a workload's selector."""
    return {
        "app.kubernetes.io/name": name,
        "app.kubernetes.io/component": component,
        "app.kubernetes.io/managed-by": "gpuc",
    }


def selector(name: str, component: str) -> dict[str, str]:
    """Return the labels that select a workload's pods, and no other workload's."""
    return {"app.kubernetes.io/name": name, "app.kubernetes.io/component": component}


def metadata(
    name: str, namespace: str | None, own_labels: dict[str, str], annotations: dict[str, str] | None = None
) -> Obj:
    """Return an object's metadata; `namespace` is None for cluster-scoped kinds."""
    return {
        "name": name,
        **({"namespace": namespace} if namespace else {}),
        "labels": own_labels,
        **({"annotations": dict(sorted(annotations.items()))} if annotations else {}),
    }


def image(stack: GPUStack, settings: ImageSettings, repository: str, version: str) -> str:
    """Return the image reference: the stack's mirror prefix, repository, tag, and digest if one is pinned."""
    chosen = settings.image
    reference = f"{chosen.repository or repository}:{chosen.tag or version}"
    if chosen.digest:
        reference += f"@{chosen.digest}"
    return f"{stack.registry_prefix}/{reference}" if stack.registry_prefix and not chosen.repository else reference


def pull_secrets(stack: GPUStack, settings: ImageSettings) -> list[Obj]:
    """Return the pod's imagePullSecrets, each once."""
    names = dict.fromkeys(secret.name for secret in (*stack.image_pull_secrets, *settings.image_pull_secrets))
    return [{"name": name} for name in names]


def toleration(item: Toleration) -> Obj:
    """Return a toleration with its operator spelled out."""
    shown = plain(item)
    return {
        **({"key": item.key} if item.key is not None else {}),
        "operator": item.operator,
        **{key: shown[key] for key in ("value", "effect", "tolerationSeconds") if key in shown},
    }


def tolerations(settings: ContainerSettings, pools: Iterable[NodePool], always: Sequence[Toleration] = ()) -> list[Obj]:
    """Return the tolerations for every taint of the pools, then the user's own, each once."""
    needed = (taint.toleration() for pool in pools for taint in pool.taints)
    return [toleration(item) for item in dict.fromkeys((*always, *needed, *settings.tolerations))]


def pool_affinity(pool: NodePool, others: Iterable[NodePool]) -> Obj:
    """Return the required node affinity that keeps pools apart.

    `nvidia.com/gpu.present` alone would put every pool's pods on every GPU node. matchFields takes one value, so named
    nodes get a term each. A pool chosen by label leaves out the nodes that other pools name.
    Source: k8s.io/kubernetes pkg/apis/core/validation, ValidateNodeFieldSelectorRequirement.
    """
    if pool.nodes:
        terms = [{"matchFields": [_name_field("In", node.name)]} for node in pool.nodes]
    else:
        named = [node.name for other in others for node in other.nodes]
        expressions = [
            {"key": key, "operator": "In", "values": [value]} for key, value in sorted(pool.node_selector.items())
        ]
        excluded = {"matchFields": [_name_field("NotIn", name) for name in sorted(named)]} if named else {}
        terms = [{"matchExpressions": expressions, **excluded}]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


def _name_field(operator: str, name: str) -> Obj:
    return {"key": "metadata.name", "operator": operator, "values": [name]}


def env(own: list[Obj], settings: ContainerSettings) -> list[Obj]:
    """Return the container's environment; a variable of the user's replaces gpuc's of the same name."""
    by_name = {item["name"]: item for item in own}
    by_name |= {variable.name: plain(variable) for variable in settings.env}
    return list(by_name.values())


def field_env(name: str, path: str) -> Obj:
    """Return an environment variable that holds a field of the pod."""
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}


@dataclass(frozen=True)
class Volumes:
    """Volumes of a pod, each with the mount of its main container."""

    volumes: list[Obj] = field(default_factory=list)
    mounts: list[Obj] = field(default_factory=list)

    def host(self, name: str, path: str, mount: str, *, read_only: bool = False, kind: str | None = None) -> None:
        """Add a path of the node; `kind` is its hostPath type."""
        self.volumes.append({"name": name, "hostPath": {"path": path, **({"type": kind} if kind else {})}})
        self.mounts.append({"name": name, "mountPath": mount, **({"readOnly": True} if read_only else {})})

    def config(self, name: str, config_map: str, mount: str) -> None:
        """Add a ConfigMap as a read-only folder."""
        self.volumes.append({"name": name, "configMap": {"name": config_map}})
        self.mounts.append({"name": name, "mountPath": mount, "readOnly": True})


def workload(
    kind: str,
    meta: Obj,
    select: dict[str, str],
    settings: ContainerSettings,
    pod: Obj,
    *,
    spec: Obj | None = None,
) -> Obj:
    """Return a DaemonSet or Deployment around a pod's spec."""
    # gpuc's labels win: a workload that does not select its own pods is refused by the API server.
    template_meta: Obj = {"labels": {**meta["labels"], **settings.labels, **meta["labels"]}}
    if settings.annotations:
        template_meta["annotations"] = dict(sorted(settings.annotations.items()))
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": meta,
        "spec": {
            **(spec or {}),
            "selector": {"matchLabels": select},
            "template": {"metadata": template_meta, "spec": pod},
        },
    }


def update_strategy(settings: DaemonSettings, default: Obj) -> Obj:
    """Return a DaemonSet's update strategy."""
    chosen = settings.update_strategy
    if chosen is None:
        return default
    rolling = (
        {"rollingUpdate": {"maxUnavailable": chosen.max_unavailable}} if chosen.max_unavailable is not None else {}
    )
    return {"type": chosen.type, **rolling}


def gpu_pod(  # noqa: PLR0913 -- a pod has that many independent parts
    stack: GPUStack,
    settings: ContainerSettings,
    images: ImageSettings,
    container: Obj,
    volumes: list[Obj],
    *,
    account: str,
    pool: NodePool | None,
    pools: Sequence[NodePool],
    extra: Obj | None = None,
) -> Obj:
    """Return the spec of a pod that needs NVML: on GPU nodes only, with the RuntimeClass that injects the driver."""
    others = [other for other in pools if pool and other.name != pool.name]
    secrets = pull_secrets(stack, images)
    tolerated = tolerations(settings, [pool] if pool else [])
    return {
        "serviceAccountName": account,
        **({"imagePullSecrets": secrets} if secrets else {}),
        "priorityClassName": settings.priority_class_name or "system-node-critical",
        "runtimeClassName": stack.runtime_class.name,
        "nodeSelector": {GPU_PRESENT: "true"},
        **({"affinity": pool_affinity(pool, others)} if pool else {}),
        **({"tolerations": tolerated} if tolerated else {}),
        **(extra or {}),
        "containers": [container],
        "volumes": volumes,
    }


def container_security(settings: ContainerSettings, computed: Obj) -> Obj:
    """Return the container's security context: the user's if there is one."""
    return plain(settings.security_context) if settings.security_context else computed


def resources(settings: ContainerSettings, default: Obj | None = None) -> dict[str, Json]:
    """Return the container's `resources` field, as a mapping to merge into it; empty where there is none."""
    chosen = plain(settings.resources) if settings.resources else default
    return {"resources": chosen} if chosen else {}


def service_account(name: str, namespace: str, own_labels: dict[str, str], *, token: bool = True) -> Obj:
    """Return a ServiceAccount; without `token` its pods get no API credentials."""
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": metadata(name, namespace, own_labels),
        **({} if token else {"automountServiceAccountToken": False}),
    }


def bound(
    kind: Literal["Role", "ClusterRole"], name: str, namespace: str, own_labels: dict[str, str], rules: list[Obj]
) -> list[Obj]:
    """Return a role with its binding to the account of the same name."""
    where = namespace if kind == "Role" else None
    return [
        {"apiVersion": f"{_RBAC}/v1", "kind": kind, "metadata": metadata(name, where, own_labels), "rules": rules},
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": f"{kind}Binding",
            "metadata": metadata(name, where, own_labels),
            "roleRef": {"apiGroup": _RBAC, "kind": kind, "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": namespace}],
        },
    ]
