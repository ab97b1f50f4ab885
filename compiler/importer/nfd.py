"""What becomes of the values of node-feature-discovery's chart, also as a part of the device plugin's."""

from __future__ import annotations

from typing import Final

from compiler.check.chartvalues import ChartValues, Setting
from compiler.importer.handlers import NO_SETTING, PATCH, Handler, anyway, cannot, is_unset, to, unset
from compiler.importer.plugin import NAMESPACE
from compiler.importer.pods import each, repository, resources, tag, update_strategy
from compiler.importer.report import Outcome, leaves
from compiler.importer.state import Import
from compiler.importer.tolerations import tolerations

_NFD: Final = ("nodeFeatureDiscovery",)
_PCI: Final = ("sources", "pci")
_TOPOLOGY: Final = "gpuc does not run NFD's topology updater"
_PROBES: Final = "gpuc compiles the probes"
_NAMES: Final = "gpuc names its objects itself; nothing but selectors refers to the names"


def _worker_config(state: Import, values: ChartValues, setting: Setting) -> None:
    if is_unset(setting.value):
        unset(state, values, setting)
        return
    for key in ("deviceClassWhitelist", "deviceLabelFields"):
        sources = setting.value.get("sources")
        pci = sources.get("pci") if isinstance(sources, dict) else None
        if isinstance(pci, dict) and pci.get(key):
            state.stack(values, (*setting.route, *_PCI, key), pci[key], (*_NFD, "pci", key))
    for inner, value in leaves(setting.value):
        if inner[:2] == _PCI and len(inner) > 2 and inner[2] in {"deviceClassWhitelist", "deviceLabelFields"}:  # noqa: PLR2004
            continue
        if is_unset(value):
            state.add(values, (*setting.route, *inner), value, Outcome.DEFAULT, "empty: nothing is set")
        else:
            why = "of the worker's configuration gpuc has the PCI source, which is what the stack needs"
            cure = (
                "run an NFD of your own for other features: `nodeFeatureDiscovery: {managed: external, labels: [...]}`"
            )
            state.add(values, (*setting.route, *inner), value, Outcome.UNEXPRESSED, why, cure)


def _master_config(state: Import, values: ChartValues, setting: Setting) -> None:
    if is_unset(setting.value) or setting.value == {"extraLabelNs": ["nvidia.com"]}:
        why = "NFD's master takes labels below nvidia.com from the objects that make them"
        state.add(values, setting.route, setting.value, Outcome.DEFAULT, why)
    else:
        NO_SETTING(state, values, setting)


def _part(part: str) -> dict[str, Handler]:
    """Return the handlers of what master, worker and garbage collector have in common."""
    here = (*_NFD, part)
    return {
        f"{part}.enable": anyway("gpuc runs master, worker and garbage collector", usual=True),
        f"{part}.tolerations": tolerations((*here, "tolerations")),
        f"{part}.resources": resources(here),
        f"{part}.annotations": each((*here, "annotations")),
        f"{part}.labels": each((*here, "labels")),
        f"{part}.extraEnvs": to((*here, "env")),
        f"{part}.securityContext": each((*here, "securityContext")),
        f"{part}.replicaCount": cannot("gpuc runs one of it", PATCH, usual=1),
        f"{part}.nodeSelector": cannot("gpuc lets the scheduler choose"),
        f"{part}.port": anyway("a port of the pod's own, which nothing else sees"),
        f"{part}.serviceAccount.name": cannot(_NAMES, "nothing to do", usual="node-feature-discovery"),
        f"{part}.rbac.create": anyway("the stack needs the rights", usual=True),
        f"{part}.serviceAccount.create": anyway("the stack needs the account", usual=True),
        **{
            f"{part}.{probe}.{key}": cannot(_PROBES)
            for probe in ("livenessProbe", "readinessProbe", "startupProbe")
            for key in (
                "initialDelaySeconds",
                "periodSeconds",
                "timeoutSeconds",
                "failureThreshold",
                "successThreshold",
            )
        },
    }


TABLE: Final[dict[str, Handler]] = {
    **{key: handler for part in ("master", "worker", "gc") for key, handler in _part(part).items()},
    "checksumValuesOnly": anyway("a change of a configuration rolls its pods"),
    "fullnameOverride": cannot(_NAMES, "nothing to do"),
    "image.pullPolicy": to((*_NFD, "image", "pullPolicy")),
    "image.repository": repository("nodeFeatureDiscovery", "registry.k8s.io/nfd/node-feature-discovery"),
    "image.tag": tag("nodeFeatureDiscovery"),
    "imagePullSecrets": to((*_NFD, "imagePullSecrets")),
    "master.config": _master_config,
    "nameOverride": cannot(_NAMES, "nothing to do"),
    "namespaceOverride": NAMESPACE,
    "postDeleteCleanup": anyway("gpuc has no hooks: labels of a removed NFD are taken off as docs/migrating.md says"),
    "priorityClassName": to(*((*_NFD, part, "priorityClassName") for part in ("master", "worker", "gc"))),
    "prometheus.enable": cannot("gpuc does not scrape NFD", "add a PodMonitor of your own", usual=False),
    "topologyUpdater.enable": cannot(_TOPOLOGY, "run it from NFD's own chart", usual=False),
    "worker.config": _worker_config,
    "worker.priorityClassName": to((*_NFD, "worker", "priorityClassName")),
    "worker.updateStrategy": update_strategy((*_NFD, "worker")),
}
