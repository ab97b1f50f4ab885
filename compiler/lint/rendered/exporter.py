"""dcgm-exporter's chart. Source: dcgm-exporter, deployment/templates."""

from __future__ import annotations

from compiler.check.chartvalues import ChartValues
from compiler.check.objects.plain import mapping, strings, text
from compiler.check.scene import Located, Route
from compiler.lint.rendered.making import POD, account, labels_of, made, meta, namespace_of, workload
from compiler.objects import Json, Obj

_FIELDS = (
    "affinity",
    "hostNetwork",
    "hostPID",
    "imagePullSecrets",
    "nodeSelector",
    "priorityClassName",
    "runtimeClassName",
    "tolerations",
)
_CONTAINER: Route = (*POD, "containers", 0)
_PORT = "metrics"


def objects(values: ChartValues) -> list[Located]:
    """Return the objects of the DCGM exporter's chart."""
    labels = labels_of(values, "dcgm-exporter")
    found = [account(values, values.release), _daemon(values, labels)]
    if values.effective("service", "enable") is not False:
        found.append(_service(values, labels))
        if values.effective("serviceMonitor", "enabled") is not False:
            found.append(_monitor(values, labels))
    return found


def _daemon(values: ChartValues, labels: Obj) -> Located:
    # The listing is what the chart itself sets; a list of one's own comes behind it.
    variables: list[Json] = [{"name": "DCGM_EXPORTER_KUBERNETES", "value": "true"}]
    own = values.effective("extraEnv")
    first = len(variables)
    if isinstance(own, list):
        variables += [item for item in own if isinstance(item, dict)]
    port = values.effective("service", "port")
    container: Obj = {
        "name": "exporter",
        "image": f"{values.effective('image', 'repository')}:{values.effective('image', 'tag')}",
        "args": strings(values.effective("arguments")),
        "env": variables,
        "securityContext": mapping(values.effective("securityContext")),
        "ports": [{"name": _PORT, "containerPort": port}],
        "resources": mapping(values.effective("resources")),
        "volumeMounts": [{"name": "pod-gpu-resources", "mountPath": "/var/lib/kubelet/pod-resources"}],
    }
    spec: Obj = {
        **{field: values.effective(field) for field in _FIELDS},
        "serviceAccountName": values.release,
        "containers": [container],
        "volumes": [{"name": "pod-gpu-resources", "hostPath": {"path": "/var/lib/kubelet/pod-resources"}}],
    }
    routes: list[tuple[Route, Route]] = [((*POD, field), (field,)) for field in _FIELDS]
    routes += [
        ((*_CONTAINER, "env"), ("extraEnv",)),
        *[((*_CONTAINER, "env", first + index), ("extraEnv", index)) for index in range(len(variables) - first)],
        ((*_CONTAINER, "securityContext"), ("securityContext",)),
        ((*_CONTAINER, "resources"), ("resources",)),
        ((*_CONTAINER, "args"), ("arguments",)),
        (("metadata", "namespace"), ("namespaceOverride",)),
    ]
    notes = values.effective("podAnnotations")
    return made(values, workload("DaemonSet", meta(values, values.release), labels, spec, notes), routes)


def _service(values: ChartValues, labels: Obj) -> Located:
    port = values.effective("service", "port")
    obj: Obj = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": meta(values, values.release, labels),
        "spec": {"selector": labels, "ports": [{"name": _PORT, "port": port, "targetPort": port}]},
    }
    return made(values, obj, [(("spec",), ("service",))])


def _monitor(values: ChartValues, labels: Obj) -> Located:
    settings = mapping(values.effective("serviceMonitor"))
    endpoint = {key: settings.get(key) for key in ("interval", "scrapeTimeout", "honorLabels")}
    obj: Obj = {
        "apiVersion": text(settings.get("apiVersion")) or "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": meta(values, values.release, {**labels, **mapping(settings.get("additionalLabels"))}),
        "spec": {
            "selector": {"matchLabels": labels},
            "namespaceSelector": {"matchNames": [namespace_of(values)]},
            "endpoints": [{"port": _PORT, "path": "/metrics", **endpoint}],
        },
    }
    routes: list[tuple[Route, Route]] = [
        (("spec", "endpoints", 0), ("serviceMonitor",)),
        (("metadata", "labels"), ("serviceMonitor", "additionalLabels")),
        (("spec",), ("serviceMonitor",)),
    ]
    return made(values, obj, routes)
