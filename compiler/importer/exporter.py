"""What becomes of the values of dcgm-exporter's chart."""

from __future__ import annotations

from typing import Final

from compiler.check.chartvalues import ChartValues, Setting
from compiler.importer.handlers import PATCH, Handler, anyway, cannot, is_unset, to, unset
from compiler.importer.plugin import NAMESPACE, RUNTIME
from compiler.importer.pods import each, repository, resources, tag
from compiler.importer.report import Outcome, in_stack
from compiler.importer.selection import selection
from compiler.importer.state import Import
from compiler.importer.tolerations import tolerations
from compiler.model.scalars import seconds
from compiler.monitoring.fields import BASIC, PROFILING
from compiler.objects import Json

_EXPORTER: Final = ("dcgmExporter",)
_MONITOR: Final = ("dcgmExporter", "serviceMonitor")
_USUAL_SECURITY: Final = {"runAsNonRoot": False, "runAsUser": 0, "capabilities": {"add": ["SYS_ADMIN"]}}
_MOUNT: Final = "gpuc's exporter mounts what it needs: the kubelet's pod-resources and its counters"
_TLS: Final = "gpuc's exporter serves plain HTTP within the cluster"


def _security(state: Import, values: ChartValues, setting: Setting) -> None:
    value = setting.value
    drop = {"drop": ["ALL"]}
    plain = {key: item for key, item in value.items() if key != "allowPrivilegeEscalation"} if value else {}
    if isinstance(plain.get("capabilities"), dict):
        plain["capabilities"] = {key: item for key, item in plain["capabilities"].items() if {key: item} != drop}
    if not plain or plain == _USUAL_SECURITY:
        why = "gpuc gives the least that works: SYS_ADMIN only with `profiling`, which data-centre cards have"
        state.add(values, setting.route, value, Outcome.DEFAULT, why)
    else:
        each((*_EXPORTER, "securityContext"))(state, values, setting)


def _interval(state: Import, values: ChartValues, setting: Setting) -> None:
    if is_unset(setting.value):
        unset(state, values, setting)
        return
    state.translated(values, setting, (*_MONITOR, "interval"))


def _timeout(state: Import, values: ChartValues, setting: Setting) -> None:
    state.translated(values, setting, (*_MONITOR, "scrapeTimeout"))


def check_scrape(state: Import, values: ChartValues) -> None:
    """Say so where a scrape may take longer than there is time between two; the new stack then has the shorter."""
    interval, timeout = (str(values.effective("serviceMonitor", key)) for key in ("interval", "scrapeTimeout"))
    try:
        too_long = seconds(timeout) > seconds(interval)
    except ValueError:
        return
    if too_long:
        said = f"scrapeTimeout {timeout} is longer than interval {interval}: the operator refuses it, silently"
        route = ("serviceMonitor", "scrapeTimeout" if values.set("serviceMonitor", "scrapeTimeout") else "interval")
        state.report.entries = [
            one for one in state.report.entries if not (one.source == values.what and one.route == route)
        ]
        targets = tuple((*_MONITOR, key) for key in ("scrapeTimeout", "interval"))
        state.draft.put("stack", targets[0], interval)
        state.draft.put("stack", targets[1], interval)
        where = in_stack(*targets[0])
        cure = f"the new stack has scrapeTimeout {interval}"
        state.add(values, route, values.set(*route), Outcome.WRONG, said, cure, targets=where)


def _counters(state: Import, values: ChartValues, setting: Setting) -> None:
    """Read customMetrics: three fields a line, as the exporter does."""
    if is_unset(setting.value):
        unset(state, values, setting)
        return
    known = {field.name for field in BASIC}
    profiling = {field.name for field in PROFILING}
    counters: list[Json] = []
    broken: list[str] = []
    for line in str(setting.value).splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        parts = [part.strip() for part in line.split(",")]
        if len(parts) != 3:  # noqa: PLR2004 -- field, type, help
            broken.append(line.strip())
        elif parts[0] in profiling:
            state.draft.put("stack", (*_EXPORTER, "profiling"), value=True)
        elif parts[0] not in known:
            counters.append({"field": parts[0], "type": parts[1], "help": parts[2].replace('"', "'")})
    if broken:
        said = f"{len(broken)} lines have not exactly three fields, such as `{broken[0][:60]}`: the exporter exits"
        state.add(values, setting.route, setting.value, Outcome.WRONG, said, "write FIELD, type, help without commas")
        return
    if counters:
        state.draft.put("stack", (*_EXPORTER, "counters"), counters)
    why = "fields that gpuc publishes anyway are left out; it publishes its own besides these"
    where = in_stack(*_EXPORTER, "counters") if counters else ()
    outcome = Outcome.TRANSLATED if counters else Outcome.DEFAULT
    state.add(values, setting.route, setting.value, outcome, why, targets=where)


def _env(state: Import, values: ChartValues, setting: Setting) -> None:
    """Take environment variables over, apart from those that gpuc sets by the sharing."""
    items = setting.value if isinstance(setting.value, list) else []
    if not items:
        unset(state, values, setting)
    for index, item in enumerate(items):
        route = (*setting.route, index)
        name = item.get("name") if isinstance(item, dict) else None
        if str(name) in {"KUBERNETES_VIRTUAL_GPUS", "DCGM_EXPORTER_KUBERNETES_ENABLE_POD_UID"}:
            why = "gpuc sets it where cards are shared"
            state.add(values, route, item, Outcome.DEFAULT, why)
            continue
        already = state.draft.get("stack", (*_EXPORTER, "env")) or []
        state.draft.put("stack", (*_EXPORTER, "env"), [*already, item])
        where = in_stack(*_EXPORTER, "env", len(already))
        state.add(values, route, item, Outcome.TRANSLATED, targets=where)


def _max_unavailable(state: Import, values: ChartValues, setting: Setting) -> None:
    if setting.value in (1, "1") or is_unset(setting.value):
        state.add(values, setting.route, setting.value, Outcome.DEFAULT, "gpuc's default")
    else:
        target = (*_EXPORTER, "updateStrategy", "maxUnavailable")
        state.translated(values, setting, target)


TABLE: Final[dict[str, Handler]] = {
    "affinity": selection,
    "arguments": cannot(
        "gpuc passes the counters file; everything else has a variable", "set it in `dcgmExporter.env`"
    ),
    "customMetrics": _counters,
    "extraConfigMapVolumes": cannot(_MOUNT),
    "extraEnv": _env,
    "extraHostVolumes": cannot(_MOUNT),
    "extraVolumeMounts": cannot(_MOUNT),
    "fullnameOverride": cannot("gpuc names its objects itself", "nothing to do"),
    "hostNetwork": cannot("gpuc's exporter has a network of its own", PATCH, usual=False),
    "hostPID": anyway("gpuc sets it where cards are shared and pods are told apart (`podAttribution`)"),
    "image.pullPolicy": to((*_EXPORTER, "image", "pullPolicy")),
    "image.repository": repository("dcgmExporter", "nvcr.io/nvidia/k8s/dcgm-exporter"),
    "image.tag": tag("dcgmExporter"),
    "imagePullSecrets": to((*_EXPORTER, "imagePullSecrets")),
    "kubeletPath": cannot(_MOUNT, PATCH, usual="/var/lib/kubelet/pod-resources"),
    "kubernetes.enablePodUID": anyway("gpuc sets it where cards are shared and pods are told apart"),
    "kubernetes.rbac.create": anyway("gpuc gives the right to read pods where the exporter needs it"),
    "livenessProbe.initialDelaySeconds": cannot("gpuc compiles the probes", PATCH, usual=45),
    "livenessProbe.periodSeconds": cannot("gpuc compiles the probes", PATCH, usual=5),
    "readinessProbe.initialDelaySeconds": cannot("gpuc compiles the probes", PATCH, usual=45),
    "nameOverride": cannot("gpuc names its objects itself", "nothing to do"),
    "namespaceOverride": NAMESPACE,
    "nodeSelector": selection,
    "podAnnotations": each((*_EXPORTER, "annotations")),
    "podLabels": each((*_EXPORTER, "labels")),
    "priorityClassName": to((*_EXPORTER, "priorityClassName")),
    "resources": resources(_EXPORTER),
    "rollingUpdate.maxSurge": cannot("a surge would let two exporters read one card", "leave it at 0", usual=0),
    "rollingUpdate.maxUnavailable": _max_unavailable,
    "runtimeClassName": RUNTIME,
    "securityContext": _security,
    "service.address": cannot("gpuc's exporter listens on port 9400", PATCH, usual=":9400"),
    "service.annotations": cannot("the Service needs none: metrics are scraped by the ServiceMonitor"),
    "service.enable": anyway("the ServiceMonitor finds the exporter by its Service", usual=True),
    "service.internalTrafficPolicy": cannot("gpuc leaves it to Kubernetes", PATCH, usual="Cluster"),
    "service.port": cannot("gpuc's exporter listens on port 9400", PATCH, usual=9400),
    "service.type": cannot("metrics are for the cluster's inside", PATCH, usual="ClusterIP"),
    "serviceAccount.create": anyway("the stack needs the account", usual=True),
    "serviceMonitor.additionalLabels": each((*_MONITOR, "additionalLabels")),
    "serviceMonitor.apiVersion": anyway("the only version that there is", usual="monitoring.coreos.com/v1"),
    "serviceMonitor.enabled": to((*_MONITOR, "enabled")),
    "serviceMonitor.honorLabels": to((*_MONITOR, "honorLabels")),
    "serviceMonitor.interval": _interval,
    "serviceMonitor.metricRelabelings": to((*_MONITOR, "metricRelabelings")),
    "serviceMonitor.relabelings": to((*_MONITOR, "relabelings")),
    "serviceMonitor.scrapeTimeout": _timeout,
    **{
        f"tlsServerConfig.{key}": cannot(_TLS)
        for key in ("enabled", "ca", "cert", "key", "clientAuthType", "existingSecret")
    },
    "tlsServerConfig.autoGenerated": anyway(_TLS),
    "tlsServerConfig.caFilename": cannot(_TLS, PATCH, usual="ca.crt"),
    "tlsServerConfig.certFilename": cannot(_TLS, PATCH, usual="tls.crt"),
    "tlsServerConfig.keyFilename": cannot(_TLS, PATCH, usual="tls.key"),
    "tolerations": tolerations((*_EXPORTER, "tolerations")),
}
