"""Node Feature Discovery: its worker looks at every node, its master turns what was found into labels.

Roles are those of the upstream chart for NFD 0.19; names start with nfd- so that they cannot be taken for another
installation's.
"""

from __future__ import annotations

from compiler.components.api import Component, ConfigFiles, Context
from compiler.components.crds import crd
from compiler.components.pods import (
    Volumes,
    bound,
    container_security,
    env,
    field_env,
    image,
    labels,
    metadata,
    pull_secrets,
    resources,
    selector,
    service_account,
    tolerations,
    update_strategy,
    workload,
)
from compiler.model.components import NodeFeatureDiscovery as Settings
from compiler.model.kube import ContainerSettings, Toleration
from compiler.model.stack import GPUStack
from compiler.objects import Json, Obj
from compiler.yaml.emit import emit

REPOSITORY = "registry.k8s.io/nfd/node-feature-discovery"
NAME = "node-feature-discovery"
CONFIG = "nfd-worker-config"
CRDS = ("nodefeaturegroups.nfd.k8s-sigs.io", "nodefeaturerules.nfd.k8s-sigs.io", "nodefeatures.nfd.k8s-sigs.io")
PORT = 8080
CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
_TOLERATE_CONTROL_PLANE = Toleration(key=CONTROL_PLANE, operator="Exists", effect="NoSchedule")


class NodeFeatureDiscovery(Component):
    """The worker needs a toleration for every taint of the GPU nodes: without it no label, and no plugin pod."""

    name = NAME

    def enabled(self, stack: GPUStack) -> bool:
        """Whether gpuc brings NFD."""
        return stack.node_feature_discovery.managed == "gpuc"

    def shared(self, context: Context) -> list[Obj]:
        """Return CRDs, accounts, roles, bindings, and the three workloads."""
        settings = nfd_settings(context.stack)
        return [
            *(crd(name) for name in CRDS),
            *_accounts(context.namespace),
            *_master_rbac(context.namespace),
            *_worker_rbac(context.namespace),
            *_gc_rbac(context.namespace),
            _master(context, settings),
            _worker(context, settings),
            _gc(context, settings),
        ]

    def shared_config(self, context: Context) -> list[ConfigFiles]:
        """Return the worker's configuration: which PCI devices get a label of their own."""
        pci = nfd_settings(context.stack).pci
        document = {
            "sources": {
                "pci": {
                    "deviceClassWhitelist": list(pci.device_class_whitelist),
                    "deviceLabelFields": list(pci.device_label_fields),
                }
            }
        }
        return [ConfigFiles(CONFIG, {"nfd-worker.conf": emit(document)})]


def nfd_settings(stack: GPUStack) -> Settings:
    """Return NFD's settings; only called where gpuc brings NFD."""
    if not isinstance(stack.node_feature_discovery, Settings):
        msg = "NFD is external"
        raise TypeError(msg)
    return stack.node_feature_discovery


def _accounts(namespace: str) -> list[Obj]:
    return [service_account(f"nfd-{part}", namespace, labels(NAME, part)) for part in ("master", "worker", "gc")]


def _rule(group: str, names: list[str], verbs: list[str], only: list[str] | None = None) -> Obj:
    restricted = {"resourceNames": only} if only else {}
    return {"apiGroups": [group], "resources": names, **restricted, "verbs": verbs}


def _master_rbac(namespace: str) -> list[Obj]:
    group = "nfd.k8s-sigs.io"
    rules = [
        _rule("", ["namespaces"], ["watch", "list"]),
        _rule("", ["nodes", "nodes/status"], ["get", "patch", "update", "list"]),
        _rule(group, ["nodefeatures", "nodefeaturerules", "nodefeaturegroups"], ["get", "list", "watch"]),
        _rule(group, ["nodefeaturegroups/status"], ["patch", "update"]),
        _rule("coordination.k8s.io", ["leases"], ["create"]),
        _rule("coordination.k8s.io", ["leases"], ["get", "update"], ["nfd-master.nfd.kubernetes.io"]),
    ]
    return bound("ClusterRole", "nfd-master", namespace, labels(NAME, "master"), rules)


def _worker_rbac(namespace: str) -> list[Obj]:
    rules = [
        _rule("nfd.k8s-sigs.io", ["nodefeatures"], ["create", "get", "update", "delete"]),
        _rule("", ["pods"], ["get"]),
    ]
    return bound("Role", "nfd-worker", namespace, labels(NAME, "worker"), rules)


def _gc_rbac(namespace: str) -> list[Obj]:
    rules = [
        _rule("", ["nodes"], ["list", "watch"]),
        _rule("topology.node.k8s.io", ["noderesourcetopologies"], ["delete", "list"]),
        _rule("nfd.k8s-sigs.io", ["nodefeatures"], ["delete", "list"]),
    ]
    return bound("ClusterRole", "nfd-gc", namespace, labels(NAME, "gc"), rules)


def _probe(**timing: int) -> Obj:
    return {"httpGet": {"path": "/healthz", "port": "http"}, **timing}


def _container(
    context: Context, settings: Settings, part: ContainerSettings, name: str, args: list[str], more: dict[str, Json]
) -> Obj:
    return {
        "name": name,
        "image": image(context.stack, settings, REPOSITORY, settings.version),
        "imagePullPolicy": settings.image.pull_policy,
        "command": [f"nfd-{name}"],
        "args": args,
        "env": env([field_env("NODE_NAME", "spec.nodeName"), *more.pop("env", [])], part),
        "ports": [{"name": "http", "containerPort": PORT}],
        **resources(part, more.pop("resources")),
        **{key: more.pop(key) for key in ("startupProbe", "livenessProbe", "readinessProbe") if key in more},
        "securityContext": container_security(
            part,
            {
                "allowPrivilegeEscalation": False,
                "capabilities": {"drop": ["ALL"]},
                "readOnlyRootFilesystem": True,
                "runAsNonRoot": True,
            },
        ),
        **more,
    }


def _pod(context: Context, settings: Settings, part: ContainerSettings, name: str, container: Obj, **more: Json) -> Obj:
    secrets = pull_secrets(context.stack, settings)
    return {
        "serviceAccountName": f"nfd-{name}",
        **({"imagePullSecrets": secrets} if secrets else {}),
        **({"priorityClassName": part.priority_class_name} if part.priority_class_name else {}),
        "dnsPolicy": "ClusterFirstWithHostNet",
        **{key: value for key, value in more.items() if value},
        "containers": [container],
    }


def _deployment(context: Context, part: ContainerSettings, name: str, pod: Obj) -> Obj:
    return workload(
        "Deployment",
        metadata(f"nfd-{name}", context.namespace, labels(NAME, name)),
        selector(NAME, name),
        part,
        pod,
        spec={"replicas": 1},
    )


def _unpinned(context: Context, part: ContainerSettings, *, control_plane: bool) -> list[Obj]:
    """Return the tolerations of a Deployment that may run anywhere, as long as that is somewhere."""
    tainted = context.overlay is not None and context.overlay.all_nodes_tainted
    always = (_TOLERATE_CONTROL_PLANE,) if control_plane or tainted else ()
    return tolerations(part, context.pools if tainted else (), always)


def _master(context: Context, settings: Settings) -> Obj:
    part = settings.master
    more = {
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "4Gi"}},
        "startupProbe": _probe(failureThreshold=30),
        "livenessProbe": _probe(),
        "readinessProbe": _probe(failureThreshold=10),
    }
    preferred = {
        "preference": {"matchExpressions": [{"key": CONTROL_PLANE, "operator": "Exists"}]},
        "weight": 1,
    }
    pod = _pod(
        context,
        settings,
        part,
        "master",
        _container(context, settings, part, "master", [f"-port={PORT}"], more),
        affinity={"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [preferred]}},
        tolerations=_unpinned(context, part, control_plane=True),
    )
    pod["enableServiceLinks"] = False
    return _deployment(context, part, "master", pod)


def _gc(context: Context, settings: Settings) -> Obj:
    part = settings.gc
    more = {
        "resources": {"requests": {"cpu": "10m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}},
        "livenessProbe": _probe(initialDelaySeconds=10),
        "readinessProbe": _probe(initialDelaySeconds=5),
    }
    container = _container(context, settings, part, "gc", ["-gc-interval=1h"], more)
    pod = _pod(context, settings, part, "gc", container, tolerations=_unpinned(context, part, control_plane=False))
    return _deployment(context, part, "gc", pod)


def _worker(context: Context, settings: Settings) -> Obj:
    part, volumes = settings.worker, Volumes()
    for name, path, mount in (
        ("host-boot", "/boot", "/host-boot"),
        ("host-os-release", "/etc/os-release", "/host-etc/os-release"),
        ("host-sys", "/sys", "/host-sys"),
        ("host-usr-lib", "/usr/lib", "/host-usr/lib"),
        ("host-lib", "/lib", "/host-lib"),
        ("host-proc-swaps", "/proc/swaps", "/host-proc/swaps"),
        ("features-d", f"/etc/kubernetes/{NAME}/features.d/", f"/etc/kubernetes/{NAME}/features.d/"),
    ):
        volumes.host(name, path, mount, read_only=True)
    volumes.config("config", CONFIG, f"/etc/kubernetes/{NAME}")
    more = {
        "env": [field_env("POD_NAME", "metadata.name"), field_env("POD_UID", "metadata.uid")],
        "resources": {"requests": {"cpu": "5m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}},
        "livenessProbe": _probe(initialDelaySeconds=10),
        "readinessProbe": _probe(initialDelaySeconds=5, failureThreshold=10),
        "volumeMounts": volumes.mounts,
    }
    container = _container(context, settings, part, "worker", ["-owner-refs=pod,ds", f"-port={PORT}"], more)
    pod = _pod(context, settings, part, "worker", container, tolerations=tolerations(part, context.pools))
    pod["volumes"] = volumes.volumes
    return workload(
        "DaemonSet",
        metadata("nfd-worker", context.namespace, labels(NAME, "worker")),
        selector(NAME, "worker"),
        part,
        pod,
        spec={
            "updateStrategy": update_strategy(
                part, {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "10%"}}
            )
        },
    )


COMPONENT = NodeFeatureDiscovery()
