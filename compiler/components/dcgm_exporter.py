"""DCGM exporter: utilisation, VRAM, temperature and power of the cards as metrics."""

from __future__ import annotations

from compiler.components import dcgm_counters
from compiler.components.api import Component, ConfigFiles, Context
from compiler.components.pods import (
    Volumes,
    bound,
    container_security,
    env,
    field_env,
    gpu_pod,
    image,
    labels,
    metadata,
    resources,
    selector,
    service_account,
    update_strategy,
    workload,
)
from compiler.model.cards import card
from compiler.model.components import DcgmExporter as Settings
from compiler.model.overlay import NodePool, NoSharing
from compiler.model.scalars import seconds
from compiler.model.stack import GPUStack
from compiler.objects import Obj

REPOSITORY = "nvcr.io/nvidia/k8s/dcgm-exporter"
NAME = "dcgm-exporter"
CONFIG = "dcgm-exporter-counters"
PORT = 9400
# What a pod of a shared card uses is what its processes use; a process is the pod's whose UID its cgroup's path has.
# Source: dcgm-exporter, internal/pkg/transformation (process_metrics.go, pidmapper.go).
_APART = ("KUBERNETES_VIRTUAL_GPUS", "DCGM_EXPORTER_KUBERNETES_ENABLE_POD_UID")
_SCRAPE = {"scrape": "true", "port": str(PORT), "path": "/metrics"}


class DcgmExporter(Component):
    """The exporter finds the cards itself: it must never request `nvidia.com/gpu`, which would take a slice.

    Its ConfigMap has a hashed name because the exporter reads the counters once, at its start.
    """

    name = "dcgm-exporter"

    def enabled(self, stack: GPUStack) -> bool:
        """Whether the stack has the exporter."""
        return stack.has_dcgm_exporter

    def shared(self, context: Context) -> list[Obj]:
        """Return the account, the one Service of all pools, and the right to read pods where an exporter needs it."""
        own, namespace = labels(NAME, "exporter"), context.namespace
        objects = [
            service_account(NAME, namespace, own, token=False),
            {
                "apiVersion": "v1",
                "kind": "Service",
                "metadata": metadata(NAME, namespace, own),
                "spec": {
                    "type": "ClusterIP",
                    "selector": selector(NAME, "exporter"),
                    "ports": [{"name": "metrics", "port": PORT, "protocol": "TCP", "targetPort": "metrics"}],
                },
            },
        ]
        settings = exporter_settings(context.stack)
        if any(_tells_pods_apart(settings, pool) for pool in context.pools):
            objects += _reads_pods(namespace, own)
        return objects

    def pool_config(self, context: Context, pool: NodePool) -> list[ConfigFiles]:
        """Return the counters file."""
        settings = exporter_settings(context.stack)
        profiling = _profiles(settings, pool)
        return [ConfigFiles(CONFIG, {dcgm_counters.FILE: dcgm_counters.csv(settings.counters, profiling=profiling)})]

    def pooled(self, context: Context, pool: NodePool | None) -> list[Obj]:
        """Return the DaemonSet."""
        stack, settings = context.stack, exporter_settings(context.stack)
        volumes = Volumes()
        if settings.pod_attribution:
            folder = "/var/lib/kubelet/pod-resources"
            volumes.host("pod-resources", folder, folder, read_only=True)
        volumes.config("counters", CONFIG, "/etc/dcgm-exporter/counters")
        apart = _tells_pods_apart(settings, pool)
        renamed = _renamed(pool) if pool and settings.pod_attribution else []
        variables = [
            {"name": "DCGM_EXPORTER_KUBERNETES", "value": "true" if settings.pod_attribution else "false"},
            {"name": "DCGM_EXPORTER_LISTEN", "value": f":{PORT}"},
            # In milliseconds. Left alone, the exporter reads the cards every 30 s, and two scrapes see the same values.
            {"name": "DCGM_EXPORTER_INTERVAL", "value": str(1000 * seconds(settings.service_monitor.interval))},
            field_env("NODE_NAME", "spec.nodeName"),
            *([{"name": name, "value": "true"} for name in _APART] if apart else []),
            # The exporter takes a pod for a user of a GPU by the resource's name, and knows nvidia.com/gpu only.
            *([{"name": "NVIDIA_RESOURCE_NAMES", "value": ",".join(renamed)}] if renamed else []),
        ]
        probe = {"httpGet": {"path": "/health", "port": "metrics"}, "initialDelaySeconds": 45}
        container = {
            "name": NAME,
            "image": image(stack, settings, REPOSITORY, settings.version),
            "imagePullPolicy": settings.image.pull_policy,
            "args": ["-f", f"/etc/dcgm-exporter/counters/{dcgm_counters.FILE}"],
            "env": env(variables, settings),
            "ports": [{"name": "metrics", "containerPort": PORT}],
            **resources(
                settings, {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"cpu": "200m", "memory": "512Mi"}}
            ),
            "livenessProbe": {**probe, "periodSeconds": 5},
            "readinessProbe": probe,
            "securityContext": container_security(settings, _security(profiling=_profiles(settings, pool))),
            "volumeMounts": volumes.mounts,
        }
        extra = {"automountServiceAccountToken": apart, **({"hostPID": True} if apart else {})}
        pod = gpu_pod(
            stack,
            settings,
            settings,
            container,
            volumes.volumes,
            account=NAME,
            pool=pool,
            pools=context.pools,
            extra=extra,
        )
        rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
        return [
            workload(
                "DaemonSet",
                metadata(NAME, context.namespace, labels(NAME, "exporter")),
                selector(NAME, "exporter"),
                _annotated(settings),
                pod,
                spec={"updateStrategy": update_strategy(settings, rolling)},
            )
        ]


def _renamed(pool: NodePool) -> list[str]:
    """Return the names that the plugin gives to the pool's shared resources, where they are not the usual ones."""
    if isinstance(pool.sharing, NoSharing) or not pool.sharing.rename_by_default:
        return []
    return [f"{item.name}.shared" for item in pool.sharing.by_resource()]


def exporter_settings(stack: GPUStack) -> Settings:
    """Return the exporter's settings; only called where the stack has an exporter."""
    if stack.dcgm_exporter is None:
        msg = "the stack has no DCGM exporter"
        raise AssertionError(msg)
    return stack.dcgm_exporter


def _tells_pods_apart(settings: Settings, pool: NodePool | None) -> bool:
    """Whether the exporter of a pool looks at processes, to say what each pod of a shared card uses."""
    return settings.pod_attribution and pool is not None and not isinstance(pool.sharing, NoSharing)


def _profiles(settings: Settings, pool: NodePool | None) -> bool:
    """Whether a pool's exporter publishes profiling fields, which GeForce cards do not have."""
    known = card(pool.gpu.product) if pool else None
    return settings.profiling and not (known and known.geforce)


def _reads_pods(namespace: str, own: dict[str, str]) -> list[Obj]:
    """Return the right to read pods: the kubelet names a card's pods without the UID that a process's cgroup has."""
    rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]}]
    return bound("ClusterRole", NAME, namespace, own, rules)


def _annotated(settings: Settings) -> Settings:
    """Return the settings with the annotations by which a Prometheus without an operator finds the pods."""
    if not settings.scrape_annotations:
        return settings
    found = {f"prometheus.io/{key}": value for key, value in _SCRAPE.items()}
    return settings.model_copy(update={"annotations": {**found, **settings.annotations}})


def _security(*, profiling: bool) -> Obj:
    """Return the exporter's security context: root for the kubelet's socket, SYS_ADMIN for profiling only."""
    add = {"add": ["SYS_ADMIN"]} if profiling else {}
    return {
        "allowPrivilegeEscalation": False,
        "capabilities": {**add, "drop": ["ALL"]},
        "runAsNonRoot": False,
        "runAsUser": 0,
    }


COMPONENT = DcgmExporter()
