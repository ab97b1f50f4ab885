"""DCGM exporter: utilisation, VRAM, temperature and power of the cards as metrics."""

from __future__ import annotations

from compiler.components import dcgm_counters
from compiler.components.api import Component, ConfigFiles, Context
from compiler.components.pods import (
    Volumes,
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
from compiler.model.components import DcgmExporter as Settings
from compiler.model.overlay import NodePool, NoSharing
from compiler.model.stack import GPUStack
from compiler.objects import Obj

REPOSITORY = "nvcr.io/nvidia/k8s/dcgm-exporter"
NAME = "dcgm-exporter"
CONFIG = "dcgm-exporter-counters"
PORT = 9400


class DcgmExporter(Component):
    """The exporter finds the cards itself: it must never request `nvidia.com/gpu`, which would take a slice.

    Its ConfigMap has a hashed name because the exporter reads the counters once, at its start.
    """

    name = "dcgm-exporter"

    def enabled(self, stack: GPUStack) -> bool:
        """Whether the stack has the exporter."""
        return stack.has_dcgm_exporter

    def shared(self, context: Context) -> list[Obj]:
        """Return the account, which needs no API access, and the one Service of all pools."""
        own, namespace = labels(NAME, "exporter"), context.namespace
        return [
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

    def pool_config(self, context: Context, pool: NodePool) -> list[ConfigFiles]:  # noqa: ARG002 -- the same for each pool
        """Return the counters file."""
        settings = exporter_settings(context.stack)
        return [
            ConfigFiles(
                CONFIG, {dcgm_counters.FILE: dcgm_counters.csv(settings.counters, profiling=settings.profiling)}
            )
        ]

    def pooled(self, context: Context, pool: NodePool | None) -> list[Obj]:
        """Return the DaemonSet."""
        stack, settings = context.stack, exporter_settings(context.stack)
        volumes = Volumes()
        volumes.host(
            "pod-resources", "/var/lib/kubelet/pod-resources", "/var/lib/kubelet/pod-resources", read_only=True
        )
        volumes.config("counters", CONFIG, "/etc/dcgm-exporter/counters")
        shared = pool is not None and not isinstance(pool.sharing, NoSharing)
        renamed = _renamed(pool) if pool else []
        variables = [
            {"name": "DCGM_EXPORTER_KUBERNETES", "value": "true"},
            {"name": "DCGM_EXPORTER_LISTEN", "value": f":{PORT}"},
            field_env("NODE_NAME", "spec.nodeName"),
            *([{"name": "KUBERNETES_VIRTUAL_GPUS", "value": "true"}] if shared else []),
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
            "securityContext": container_security(settings, _security(settings)),
            "volumeMounts": volumes.mounts,
        }
        extra = {"automountServiceAccountToken": False, **({"hostPID": True} if shared else {})}
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
                settings,
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


def _security(settings: Settings) -> Obj:
    """Return the exporter's security context: root for the kubelet's socket, SYS_ADMIN for profiling only."""
    add = {"add": ["SYS_ADMIN"]} if settings.profiling else {}
    return {
        "allowPrivilegeEscalation": False,
        "capabilities": {**add, "drop": ["ALL"]},
        "runAsNonRoot": False,
        "runAsUser": 0,
    }


COMPONENT = DcgmExporter()
