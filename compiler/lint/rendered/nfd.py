"""NFD's chart. Source: node-feature-discovery, deployment/helm/node-feature-discovery/templates."""

from __future__ import annotations

import json

from compiler.check.chartvalues import Chart, ChartValues, merged
from compiler.check.objects.plain import mapping, strings
from compiler.check.rules.values_hooks import brings_nfd
from compiler.check.scene import Located, Route
from compiler.lint.rendered.making import POD, account, labels_of, made, meta, workload
from compiler.objects import Obj

_PARTS = {"worker": "DaemonSet", "master": "Deployment", "gc": "Deployment"}
_FIELDS = ("affinity", "nodeSelector", "tolerations", "priorityClassName")
_CONFIG_FOLDER = "/etc/kubernetes/node-feature-discovery"


def objects(values: ChartValues) -> list[Located]:
    """Return the objects of NFD's own chart."""
    return _objects(values, merged(values.chart.defaults, values.data), ())


def subchart(values: ChartValues) -> list[Located]:
    """Return the objects of the NFD that the device plugin's chart brings along."""
    if not brings_nfd(values):
        return []
    chart: Chart = values.chart.subcharts["nfd"]
    defaults = merged(chart.defaults, mapping(values.chart.defaults.get("nfd")))
    return _objects(values, merged(defaults, mapping(values.set("nfd"))), ("nfd",))


def _objects(values: ChartValues, effective: Obj, above: Route) -> list[Located]:
    found = [account(values, f"{values.release}-node-feature-discovery")]
    for part, kind in _PARTS.items():
        settings = mapping(effective.get(part))
        if settings.get("enable") is not False:
            found.append(_workload(values, effective, part, kind, above))
    if mapping(effective.get("worker")).get("enable") is not False:
        found.append(_config(values, mapping(mapping(effective.get("worker")).get("config")), above))
    return found


def _workload(values: ChartValues, effective: Obj, part: str, kind: str, above: Route) -> Located:
    settings = mapping(effective.get(part))
    image = mapping(effective.get("image"))
    container: Obj = {
        "name": part,
        "image": f"{image.get('repository')}:{image.get('tag') or 'v' + values.chart.version}",
        "command": [f"nfd-{part}"],
        "args": strings(settings.get("extraArgs")),
        "securityContext": mapping(settings.get("securityContext")) or {"allowPrivilegeEscalation": False},
        "resources": mapping(settings.get("resources")),
    }
    spec: Obj = {
        **{field: settings.get(field) for field in _FIELDS},
        "serviceAccountName": f"{values.release}-node-feature-discovery",
        "containers": [container],
    }
    spec["priorityClassName"] = settings.get("priorityClassName") or effective.get("priorityClassName")
    if part == "worker":
        container["volumeMounts"] = [{"name": "conf", "mountPath": _CONFIG_FOLDER}]
        spec["volumes"] = [
            {"name": "conf", "configMap": {"name": _config_name(values)}},
            {"name": "host-sys", "hostPath": {"path": "/sys"}},
        ]
    routes: list[tuple[Route, Route]] = [((*POD, field), (*above, part, field)) for field in _FIELDS]
    routes.append(((*POD, "containers", 0, "resources"), (*above, part, "resources")))
    routes.append(((*POD, "containers", 0, "args"), (*above, part, "extraArgs")))
    name = f"{values.release}-node-feature-discovery-{part}"
    obj = workload(kind, meta(values, name), labels_of(values, f"nfd-{part}"), spec)
    return made(values, obj, routes)


def _config_name(values: ChartValues) -> str:
    return f"{values.release}-node-feature-discovery-worker-conf"


def _config(values: ChartValues, config: Obj, above: Route) -> Located:
    obj: Obj = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": meta(values, _config_name(values)),
        "data": {"nfd-worker.conf": json.dumps(config)},
    }
    return made(values, obj, [(("data", "nfd-worker.conf"), (*above, "worker", "config"))])
