"""Values that are right, and where each arrives."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compiler.importer import Outcome
from compiler.starter.choices import Choices
from tests.importer.support import EXPORTER, NFD, PLUGIN, TALOS, imported, wrong

ENV = [{"name": "A", "value": "b"}]
DIGEST = f"sha256:{'a' * 64}"
ARRIVES: list[tuple[str, dict[str, Any], str, Any]] = [
    (PLUGIN, {"compatWithCPUManager": True}, "devicePlugin.passDeviceSpecs", True),
    (PLUGIN, {"deviceListStrategy": "envvar,cdi-cri"}, "devicePlugin.deviceListStrategy", ["envvar", "cdi-cri"]),
    (PLUGIN, {"cdi": {"nvidiaHookPath": "/usr/bin/h"}}, "devicePlugin.cdi.hookPath", "/usr/bin/h"),
    (PLUGIN, {"mps": {"root": "/run/mps"}}, "devicePlugin.mpsRoot", "/run/mps"),
    (PLUGIN, {"nvidiaDriverRoot": "/run/nvidia/driver"}, "devicePlugin.nvidiaDriverRoot", "/run/nvidia/driver"),
    (PLUGIN, {"sleepInterval": "30s"}, "gpuFeatureDiscovery.sleepInterval", "30s"),
    (PLUGIN, {"noTimestamp": True}, "gpuFeatureDiscovery.noTimestamp", True),
    (PLUGIN, {"gfd": {"enabled": False}}, "gpuFeatureDiscovery.enabled", False),
    (PLUGIN, {"runtimeClassName": "gpu"}, "runtimeClass.name", "gpu"),
    (PLUGIN, {"namespaceOverride": "gpu"}, "namespace", "gpu"),
    (PLUGIN, {"priorityClassName": "high"}, "gpuFeatureDiscovery.priorityClassName", "high"),
    (PLUGIN, {"resources": {"limits": {"memory": "1Gi"}}}, "gpuFeatureDiscovery.resources.limits.memory", "1Gi"),
    (PLUGIN, {"imagePullSecrets": [{"name": "a"}]}, "devicePlugin.imagePullSecrets", [{"name": "a"}]),
    (
        PLUGIN,
        {"tolerations": [{"key": "a", "operator": "Exists"}]},
        "devicePlugin.tolerations",
        [{"key": "a", "operator": "Exists"}],
    ),
    (NFD, {"worker": {"extraEnvs": ENV}}, "nodeFeatureDiscovery.worker.env", ENV),
    (NFD, {"priorityClassName": "high"}, "nodeFeatureDiscovery.gc.priorityClassName", "high"),
    (
        NFD,
        {"worker": {"config": {"sources": {"pci": {"deviceLabelFields": ["class", "vendor"]}}}}},
        "nodeFeatureDiscovery.pci.deviceLabelFields",
        ["class", "vendor"],
    ),
    (EXPORTER, {"extraEnv": ENV}, "dcgmExporter.env", ENV),
    (EXPORTER, {"podLabels": {"team": "ml"}}, "dcgmExporter.labels", {"team": "ml"}),
    (EXPORTER, {"rollingUpdate": {"maxUnavailable": 2}}, "dcgmExporter.updateStrategy.maxUnavailable", 2),
    (EXPORTER, {"securityContext": {"runAsUser": 7}}, "dcgmExporter.securityContext", {"runAsUser": 7}),
    (EXPORTER, {"serviceMonitor": {"enabled": False}}, "dcgmExporter.serviceMonitor.enabled", False),
    (EXPORTER, {}, "dcgmExporter.serviceMonitor.enabled", True),
    (
        EXPORTER,
        {"customMetrics": "# mine\nDCGM_FI_DEV_X, gauge, An x\nDCGM_FI_DEV_GPU_UTIL, gauge, known\n"},
        "dcgmExporter.counters",
        [{"field": "DCGM_FI_DEV_X", "type": "gauge", "help": "An x"}],
    ),
]


def at(data: Any, path: str) -> Any:
    for part in path.split("."):
        data = data[part]
    return data


@pytest.mark.parametrize(
    ("chart", "data", "path", "value"),
    ARRIVES,
    ids=[f"{row[0]}:{row[2]}-{number}" for number, row in enumerate(ARRIVES)],
)
def test_a_value_arrives(chart: str, data: dict[str, Any], path: str, value: object) -> None:
    report = imported(chart, json.dumps(data or {"a": None}), Choices(nodes=TALOS.nodes))
    if path.endswith("serviceMonitor.enabled") and value is False:
        assert report.draft.get("stack", ("dcgmExporter", "serviceMonitor")) is None
        return
    assert at(report.draft.stack, path) == value
    assert [item.message for item in report.draft.findings() if item.is_error] == []


FLAGS: list[tuple[dict[str, Any], str, Any]] = [
    ({"failOnInitError": False}, "devicePlugin.failOnInitError", False),
    ({"mpsRoot": "/run/mps"}, "devicePlugin.mpsRoot", "/run/mps"),
    (
        {"plugin": {"deviceListStrategy": ["envvar", "cdi-cri"]}},
        "devicePlugin.deviceListStrategy",
        ["envvar", "cdi-cri"],
    ),
    ({"plugin": {"passDeviceSpecs": True}}, "devicePlugin.passDeviceSpecs", True),
    ({"gfd": {"sleepInterval": "30s"}}, "gpuFeatureDiscovery.sleepInterval", "30s"),
]


@pytest.mark.parametrize(
    ("flags", "path", "value"), FLAGS, ids=[f"{row[1]}-{number}" for number, row in enumerate(FLAGS)]
)
def test_a_flag_of_the_configuration_arrives(flags: dict[str, Any], path: str, value: object) -> None:
    text = json.dumps({"version": "v1", "flags": flags})
    report = imported(PLUGIN, json.dumps({"runtimeClassName": "nvidia", "config": {"map": {"default": text}}}))
    assert wrong(report) == []
    assert at(report.draft.stack, path) == value


SHARED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"mps": {"resources": [{"name": "nvidia.com/gpu", "replicas": 4}]}},
        {"strategy": "mps", "replicas": 4},
    ),
    (
        {
            "timeSlicing": {
                "renameByDefault": True,
                "failRequestsGreaterThanOne": True,
                "resources": [{"name": "nvidia.com/gpu", "replicas": 4}],
            }
        },
        {"strategy": "time-slicing", "replicas": 4, "renameByDefault": True, "failRequestsGreaterThanOne": True},
    ),
    (
        {"timeSlicing": {"resources": [{"name": "nvidia.com/mig-1g.10gb", "replicas": 2}]}},
        {"strategy": "time-slicing", "resources": [{"name": "nvidia.com/mig-1g.10gb", "replicas": 2}]},
    ),
]


@pytest.mark.parametrize(("sharing", "pool"), SHARED, ids=["mps", "options", "mig"])
def test_sharing_arrives_in_the_pool(sharing: dict[str, Any], pool: dict[str, Any]) -> None:
    mig = "none" if "mps" in sharing else "mixed"
    text = json.dumps({"version": "v1", "flags": {"migStrategy": mig}, "sharing": sharing})
    report = imported(PLUGIN, json.dumps({"runtimeClassName": "nvidia", "config": {"map": {"default": text}}}))
    assert report.draft.get("overlay", ("nodePools", 0, "sharing")) == pool
    assert report.draft.get("overlay", ("nodePools", 0, "mig", "strategy")) == (None if mig == "none" else mig)


def test_counters_that_would_end_the_exporter_are_told() -> None:
    report = imported(EXPORTER, json.dumps({"customMetrics": "DCGM_FI_DEV_X, gauge, one, two\n"}))
    assert wrong(report) == ["customMetrics"]
    assert report.draft.get("stack", ("dcgmExporter", "counters")) is None


def test_profiling_fields_turn_profiling_on() -> None:
    report = imported(EXPORTER, json.dumps({"customMetrics": "DCGM_FI_PROF_GR_ENGINE_ACTIVE, gauge, x\n"}))
    assert report.draft.get("stack", ("dcgmExporter", "profiling")) is True


def test_what_the_sharing_decides_is_left_to_it() -> None:
    report = imported(EXPORTER, json.dumps({"extraEnv": [{"name": "KUBERNETES_VIRTUAL_GPUS", "value": "true"}]}))
    (told,) = [one for one in report.of(Outcome.DEFAULT) if one.route == ("extraEnv", 0)]
    assert told.why == "gpuc sets it where cards are shared"


@pytest.mark.parametrize("nodes", [(), TALOS.nodes], ids=["no-nodes", "nodes"])
def test_an_affinity_that_is_more_than_nodes_is_told(nodes: tuple[Any, ...]) -> None:
    affinity: dict[str, Any] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": []}}
    report = imported(PLUGIN, json.dumps({"runtimeClassName": "nvidia", "affinity": affinity}), Choices(nodes=nodes))
    (told,) = [one for one in report.entries if one.route == ("affinity",)]
    assert told.outcome is (Outcome.DEFAULT if nodes else Outcome.UNEXPRESSED)
