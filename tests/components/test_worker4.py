"""What `kustomize build out/overlays/worker4` gives: the facts on which worker4's GPU depends."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from compiler.objects import Obj
from compiler.validate import Toolset
from compiler.yaml.readback import load_all
from tests.components import facts

ROOT = Path(__file__).parents[2]
NAMESPACE = "nvidia-gpu-operator"
TAINT = ("dedicated", "ai", "NoSchedule")
WORKER4 = facts.Node("k8s-worker4", {"nvidia.com/gpu.present": "true"}, (TAINT,))
ON_GPU_NODES = ["dcgm-exporter-worker4", "gpu-feature-discovery-worker4", "nvidia-device-plugin-worker4"]


def kustomize(tools: Toolset, folder: str) -> list[Obj]:
    done = subprocess.run([tools.kustomize, "build", ROOT / folder], capture_output=True, check=True, encoding="utf-8")
    return list(load_all(done.stdout))


@pytest.fixture(scope="module")
def stack(tools: Toolset) -> list[Obj]:
    return kustomize(tools, "out/overlays/worker4")


@pytest.fixture(scope="module")
def monitoring(tools: Toolset) -> list[Obj]:
    return kustomize(tools, "out/overlays/worker4/monitoring")


@pytest.fixture(scope="module")
def everything(stack: list[Obj], monitoring: list[Obj]) -> list[Obj]:
    return [*stack, *monitoring]


def named(objects: list[Obj], kind: str, prefix: str) -> Obj:
    (found,) = (obj for obj in facts.of_kind(objects, kind) if obj["metadata"]["name"].startswith(prefix))
    return found


def test_there_is_one_daemonset_each(stack: list[Obj]) -> None:
    names = sorted(obj["metadata"]["name"] for obj in facts.of_kind(stack, "DaemonSet"))
    assert names == [*ON_GPU_NODES[:2], "nfd-worker", *ON_GPU_NODES[2:]]


def test_the_plugin_advertises_the_card_five_times(stack: list[Obj]) -> None:
    (config,) = load_all(named(stack, "ConfigMap", "nvidia-device-plugin-config")["data"]["config.yaml"])
    assert config["sharing"]["timeSlicing"]["resources"] == [{"name": "nvidia.com/gpu", "replicas": 5}]


@pytest.mark.parametrize("name", ["nvidia-device-plugin-worker4", "gpu-feature-discovery-worker4"])
def test_plugin_and_gfd_read_the_same_configuration(stack: list[Obj], name: str) -> None:
    config = named(stack, "ConfigMap", "nvidia-device-plugin-config")["metadata"]["name"]
    volumes = facts.pod(named(stack, "DaemonSet", name))["spec"]["volumes"]
    assert {"name": "config", "configMap": {"name": config}} in volumes


@pytest.mark.parametrize("name", [*ON_GPU_NODES, "nfd-worker"])
def test_a_daemonset_lands_on_worker4_despite_its_taint(stack: list[Obj], name: str) -> None:
    assert facts.lands_on(named(stack, "DaemonSet", name), WORKER4)


@pytest.mark.parametrize("name", ON_GPU_NODES)
def test_what_needs_a_gpu_runs_nowhere_else(stack: list[Obj], name: str) -> None:
    others = [
        facts.Node("k8s-worker1"),
        facts.Node("k8s-worker5", WORKER4.labels, (TAINT,)),
        facts.Node("k8s-worker4", {}, (TAINT,)),
    ]
    assert [node.name for node in others if facts.lands_on(named(stack, "DaemonSet", name), node)] == []


def test_the_nfd_worker_also_runs_where_there_is_no_label_yet(stack: list[Obj]) -> None:
    assert facts.lands_on(named(stack, "DaemonSet", "nfd-worker"), facts.Node("k8s-worker4", {}, (TAINT,)))


@pytest.mark.parametrize("name", ON_GPU_NODES)
def test_what_needs_nvml_has_the_runtime_class(stack: list[Obj], name: str) -> None:
    assert facts.pod(named(stack, "DaemonSet", name))["spec"]["runtimeClassName"] == "nvidia"


def test_nothing_of_the_stack_takes_a_slice_of_the_card(stack: list[Obj]) -> None:
    containers = [
        container
        for obj in facts.of_kind(stack, *facts.WORKLOADS)
        for container in facts.pod(obj)["spec"]["containers"]
    ]
    assert [item["name"] for item in containers if "nvidia.com/gpu" in str(item.get("resources"))] == []


def test_everything_namespaced_is_in_the_stack_s_namespace(everything: list[Obj]) -> None:
    assert facts.misplaced(everything, NAMESPACE) == []


def test_there_are_no_jobs_and_no_mps_daemon(everything: list[Obj]) -> None:
    kinds = Counter(obj["kind"] for obj in everything)
    assert kinds == {
        "ClusterRole": 3,
        "ClusterRoleBinding": 3,
        "ConfigMap": 4,
        "CustomResourceDefinition": 3,
        "DaemonSet": 4,
        "Deployment": 2,
        "Namespace": 1,
        "NodeFeatureRule": 1,
        "PrometheusRule": 2,
        "Role": 2,
        "RoleBinding": 2,
        "RuntimeClass": 1,
        "Service": 1,
        "ServiceAccount": 6,
        "ServiceMonitor": 1,
    }


def test_nothing_is_a_helm_hook(everything: list[Obj]) -> None:
    assert [facts.shown(obj) for obj in everything if "helm.sh" in str(obj["metadata"])] == []


def test_pod_security_admits_the_stack_s_pods(stack: list[Obj]) -> None:
    labels = named(stack, "Namespace", NAMESPACE)["metadata"]["labels"]
    modes = {mode: labels.get(f"pod-security.kubernetes.io/{mode}") for mode in ("enforce", "audit", "warn")}
    assert modes == dict.fromkeys(("enforce", "audit", "warn"), "privileged")


@pytest.mark.parametrize("kind", ["Namespace", "CustomResourceDefinition"])
def test_what_would_take_more_with_it_is_never_pruned(stack: list[Obj], kind: str) -> None:
    kept = {"argocd.argoproj.io/sync-options": "Prune=false", "kustomize.toolkit.fluxcd.io/prune": "disabled"}
    assert all(kept.items() <= obj["metadata"]["annotations"].items() for obj in facts.of_kind(stack, kind))


def test_the_runtime_class_names_the_handler_that_talos_registers(stack: list[Obj]) -> None:
    assert named(stack, "RuntimeClass", "nvidia")["handler"] == "nvidia"


def test_the_label_that_gpu_pods_select_has_a_producer(stack: list[Obj]) -> None:
    (rule, *_) = named(stack, "NodeFeatureRule", "nvidia-gpu-present")["spec"]["rules"]
    assert rule["labels"] == {"nvidia.com/gpu.present": "true"}


def test_service_and_service_monitor_select_exactly_the_exporter(everything: list[Obj]) -> None:
    service, monitor = named(everything, "Service", "dcgm"), named(everything, "ServiceMonitor", "dcgm")
    selected = [
        obj["metadata"]["name"]
        for obj in facts.of_kind(everything, *facts.WORKLOADS)
        if facts.selects(service["spec"]["selector"], facts.pod(obj)["metadata"]["labels"])
    ]
    assert selected == ["dcgm-exporter-worker4"]
    assert facts.selects(monitor["spec"]["selector"]["matchLabels"], service["metadata"]["labels"])
    assert monitor["spec"]["endpoints"][0]["port"] == service["spec"]["ports"][0]["name"]
    assert monitor["spec"]["namespaceSelector"] == {"matchNames": [service["metadata"]["namespace"]]}


def test_monitoring_is_a_root_of_its_own(stack: list[Obj], monitoring: list[Obj]) -> None:
    assert [obj["kind"] for obj in monitoring] == ["ConfigMap", "PrometheusRule", "PrometheusRule", "ServiceMonitor"]
    assert facts.of_kind(stack, "ServiceMonitor") == []


def test_selectors_of_all_workloads_are_disjoint(everything: list[Obj]) -> None:
    assert facts.overlapping_selectors(everything) == []


def test_every_workload_selects_its_own_pods(everything: list[Obj]) -> None:
    assert facts.unselected_pods(everything) == []


def test_every_reference_resolves(everything: list[Obj]) -> None:
    assert facts.dangling_references(everything) == []


def test_there_is_no_account_role_or_configuration_that_nothing_uses(everything: list[Obj]) -> None:
    unused = facts.unused(everything, "ServiceAccount", "Role", "ClusterRole", "ConfigMap", "RuntimeClass")
    # Grafana's sidecar finds it by its label.
    assert unused == ["ConfigMap/gpu-dashboard"]


def test_every_volume_is_mounted(everything: list[Obj]) -> None:
    assert facts.unmounted_volumes(everything) == []


@pytest.mark.parametrize("name", ["nvidia-device-plugin", "dcgm-exporter"])
def test_what_calls_no_api_gets_no_token(stack: list[Obj], name: str) -> None:
    (account,) = (o for o in facts.of_kind(stack, "ServiceAccount") if o["metadata"]["name"] == name)
    assert account["automountServiceAccountToken"] is False
