"""What the workload component gives to pods, and that it takes nothing away: always by the real kustomize."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.objects import Obj
from compiler.validate import Toolset
from tests.delivery.apps import (
    COMPONENT,
    GPU,
    TOLERATION,
    build,
    by_name,
    pod_of,
    repository,
    with_component,
    workload,
)

KINDS = ["CronJob", "DaemonSet", "Deployment", "Job", "Pod", "ReplicaSet", "StatefulSet"]
MEMORY = {"limits": {"memory": "1Gi"}, "requests": {"cpu": "100m"}}
FULL: Obj = {
    "runtimeClassName": "kata",
    "nodeSelector": {"disk": "fast"},
    "tolerations": [
        {"key": "example.com/other", "operator": "Exists"},
        {"key": "dedicated", "operator": "Equal", "value": "storage", "effect": "NoSchedule"},
    ],
    "initContainers": [{"name": "fetch", "image": "fetch:1"}],
    "containers": [
        {"name": "main", "image": "main:1", "resources": MEMORY},
        {"name": "metrics", "image": "metrics:1", "resources": {"limits": {"memory": "64Mi"}}},
        {"name": "proxy", "image": "proxy:1"},
    ],
    "volumes": [{"name": "models", "emptyDir": {}}],
}
BARE: Obj = {"containers": [{"name": "main", "image": "main:1"}]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("repository")
    repository(path)
    return path


@pytest.fixture(scope="module")
def apps(folder: Path, tools: Toolset) -> dict[str, Obj]:
    """Return an application with every kind, once with everything set already and once with nothing."""
    objects = [workload(kind, FULL, "full") for kind in KINDS] + [workload(kind, BARE, "bare") for kind in KINDS]
    objects.append(workload("Deployment", FULL, "left-alone", {"gpu-workload": "false"}))
    return with_component(tools, folder, objects)


@pytest.mark.parametrize("name", ["full", "bare"])
@pytest.mark.parametrize("kind", KINDS)
def test_pods_get_the_runtime_class(apps: dict[str, Obj], kind: str, name: str) -> None:
    assert pod_of(apps[f"{kind}/{name}"])["runtimeClassName"] == "nvidia"


@pytest.mark.parametrize("kind", KINDS)
def test_a_node_selector_is_added_to(apps: dict[str, Obj], kind: str) -> None:
    assert pod_of(apps[f"{kind}/full"])["nodeSelector"] == {"disk": "fast", "nvidia.com/gpu.present": "true"}


@pytest.mark.parametrize("kind", KINDS)
def test_pods_without_a_node_selector_get_one(apps: dict[str, Obj], kind: str) -> None:
    assert pod_of(apps[f"{kind}/bare"])["nodeSelector"] == {"nvidia.com/gpu.present": "true"}


@pytest.mark.parametrize("kind", KINDS)
def test_tolerations_are_added_to_also_where_the_key_is_the_same(apps: dict[str, Obj], kind: str) -> None:
    assert pod_of(apps[f"{kind}/full"])["tolerations"] == [*FULL["tolerations"], TOLERATION]


@pytest.mark.parametrize("kind", KINDS)
def test_pods_without_tolerations_get_them(apps: dict[str, Obj], kind: str) -> None:
    assert pod_of(apps[f"{kind}/bare"])["tolerations"] == [TOLERATION]


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_container_gets_a_slice_beside_its_limits(apps: dict[str, Obj], kind: str) -> None:
    resources = pod_of(apps[f"{kind}/full"])["containers"][0]["resources"]
    assert resources == {"limits": {"memory": "1Gi", GPU: 1}, "requests": {"cpu": "100m"}}


@pytest.mark.parametrize("kind", KINDS)
def test_a_first_container_without_limits_gets_a_slice(apps: dict[str, Obj], kind: str) -> None:
    assert pod_of(apps[f"{kind}/bare"])["containers"][0]["resources"] == {"limits": {GPU: 1}}


@pytest.mark.parametrize("kind", KINDS)
def test_other_containers_stay_as_they_are(apps: dict[str, Obj], kind: str) -> None:
    pod = pod_of(apps[f"{kind}/full"])
    assert (pod["containers"][1:], pod["initContainers"]) == (FULL["containers"][1:], FULL["initContainers"])


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_else_of_a_pod_changes(apps: dict[str, Obj], kind: str) -> None:
    touched = {"runtimeClassName", "nodeSelector", "tolerations", "containers"}
    pod = pod_of(apps[f"{kind}/full"])
    assert {key: value for key, value in pod.items() if key not in touched} == {
        key: value for key, value in FULL.items() if key not in touched
    }


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_outside_of_the_pod_changes(apps: dict[str, Obj], kind: str) -> None:
    pod = pod_of(apps[f"{kind}/full"])
    assert apps[f"{kind}/full"] == workload(kind, pod, "full")


def test_a_workload_with_the_label_that_says_so_is_left_alone(apps: dict[str, Obj]) -> None:
    before = workload("Deployment", FULL, "left-alone", {"gpu-workload": "false"})
    assert apps["Deployment/left-alone"] == before


def test_what_the_component_is_made_of_is_not_printed(apps: dict[str, Obj]) -> None:
    assert {key.partition("/")[0] for key in apps} == set(KINDS)


OTHERS: list[Obj] = [
    {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "app"}, "spec": {"ports": [{"port": 80}]}},
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "app"}, "data": {"key": "value"}},
    {
        "apiVersion": "kubeflow.org/v1",
        "kind": "Notebook",
        "metadata": {"name": "app"},
        "spec": {"template": {"spec": {"containers": [{"name": "main"}]}}},
    },
    {
        "apiVersion": "serving.kserve.io/v1beta1",
        "kind": "InferenceService",
        "metadata": {"name": "app"},
        "spec": {"predictor": {"containers": [{"name": "main"}]}},
    },
]


def test_kinds_that_are_not_listed_are_left_alone(folder: Path, tools: Toolset) -> None:
    assert with_component(tools, folder, OTHERS) == by_name(OTHERS)


def test_a_limit_that_the_pod_asks_for_becomes_one_slice(folder: Path, tools: Toolset) -> None:
    pod = {"containers": [{"name": "main", "resources": {"limits": {GPU: 1}}}]}
    done = with_component(tools, folder, [workload("Deployment", pod)])["Deployment/app"]
    assert pod_of(done)["containers"][0]["resources"]["limits"] == {GPU: 1}


def test_placement_alone_sets_no_limit(folder: Path, tools: Toolset) -> None:
    done = with_component(tools, folder, [workload("Deployment", FULL)], f"{COMPONENT}/placement")["Deployment/app"]
    pod = pod_of(done)
    assert (pod["containers"], pod["tolerations"][-1]) == (FULL["containers"], TOLERATION)


def test_a_namespace_and_a_prefix_of_the_application_apply_to_its_objects_alone(folder: Path, tools: Toolset) -> None:
    done = with_component(
        tools, folder, [workload("Deployment", BARE)], namespace="llm", namePrefix="prod-", nameSuffix="-1"
    )
    assert {key: obj["metadata"]["namespace"] for key, obj in done.items()} == {"Deployment/prod-app-1": "llm"}
    assert pod_of(done["Deployment/prod-app-1"])["tolerations"] == [TOLERATION]


def test_an_overlay_of_an_application_that_includes_the_component_can_rename_it(folder: Path, tools: Toolset) -> None:
    kustomizations: dict[str, Obj] = {
        "prod": {"resources": ["../base"], "namespace": "prod", "namePrefix": "prod-"},
        "base": {"resources": ["app.yaml"], "components": [COMPONENT]},
    }
    done = by_name(build(tools, folder, kustomizations, {"base/app.yaml": [workload("Deployment", BARE)]}))
    assert (list(done), pod_of(done["Deployment/prod-app"])["tolerations"]) == (
        ["Deployment/prod-app"],
        [TOLERATION],
    )


def test_an_overlay_can_include_the_component_for_a_base_that_does_not(folder: Path, tools: Toolset) -> None:
    kustomizations: dict[str, Obj] = {
        "gpu": {"resources": ["../plain"], "components": [COMPONENT]},
        "plain": {"resources": ["app.yaml"]},
    }
    done = by_name(build(tools, folder, kustomizations, {"plain/app.yaml": [workload("StatefulSet", FULL)]}))
    assert pod_of(done["StatefulSet/app"])["tolerations"] == [*FULL["tolerations"], TOLERATION]


def test_two_applications_of_one_parent_can_include_the_same_component(folder: Path, tools: Toolset) -> None:
    kustomizations: dict[str, Obj] = {
        "both": {"resources": ["../one", "../two"]},
        "one": {"resources": ["app.yaml"], "components": [COMPONENT]},
        "two": {"resources": ["app.yaml"], "components": [COMPONENT]},
    }
    files = {f"{name}/app.yaml": [workload("Deployment", BARE, name)] for name in ("one", "two")}
    done = by_name(build(tools, folder, kustomizations, files))
    assert {name: pod_of(obj)["tolerations"] for name, obj in done.items()} == {
        "Deployment/one": [TOLERATION],
        "Deployment/two": [TOLERATION],
    }


TWO_POOLS = """\
nodePools:
  - name: shared
    nodes: [{name: node-1}]
    taints:
      - {key: dedicated, value: ai, effect: NoSchedule}
      - {key: example.com/maintenance, effect: NoExecute}
    sharing: {strategy: time-slicing, replicas: 4, renameByDefault: true}
  - name: whole
    nodeSelector: {example.com/gpu: whole}
"""


@pytest.fixture(scope="module")
def two_pools(tmp_path_factory: pytest.TempPathFactory, tools: Toolset) -> dict[str, Obj]:
    """Return two applications of one parent, each on another pool."""
    folder = tmp_path_factory.mktemp("two")
    repository(folder, TWO_POOLS)
    pools = "../out/components/gpu-workload/lab"
    kustomizations: dict[str, Obj] = {
        "both": {"resources": ["../chat", "../train"]},
        "chat": {"resources": ["app.yaml"], "components": [f"{pools}/shared"]},
        "train": {"resources": ["app.yaml"], "components": [f"{pools}/whole"]},
    }
    files = {f"{name}/app.yaml": [workload("Deployment", BARE, name)] for name in ("chat", "train")}
    return by_name(build(tools, folder, kustomizations, files))


@pytest.mark.parametrize(
    ("name", "selector"),
    [
        ("chat", {"nvidia.com/gpu.present": "true", "feature.node.kubernetes.io/gpu-pool": "shared"}),
        ("train", {"nvidia.com/gpu.present": "true", "example.com/gpu": "whole"}),
    ],
)
def test_two_pools_are_selected_by_their_own_labels(
    two_pools: dict[str, Obj], name: str, selector: dict[str, str]
) -> None:
    assert pod_of(two_pools[f"Deployment/{name}"])["nodeSelector"] == selector


@pytest.mark.parametrize(
    ("name", "tolerations"),
    [
        ("chat", [TOLERATION, {"key": "example.com/maintenance", "operator": "Exists", "effect": "NoExecute"}]),
        ("train", None),
    ],
)
def test_every_taint_of_a_pool_is_tolerated_and_no_other(
    two_pools: dict[str, Obj], name: str, tolerations: list[Obj] | None
) -> None:
    assert pod_of(two_pools[f"Deployment/{name}"]).get("tolerations") == tolerations


@pytest.mark.parametrize(("name", "resource"), [("chat", f"{GPU}.shared"), ("train", GPU)])
def test_the_slice_is_of_what_the_pool_advertises(two_pools: dict[str, Obj], name: str, resource: str) -> None:
    assert pod_of(two_pools[f"Deployment/{name}"])["containers"][0]["resources"] == {"limits": {resource: 1}}


@pytest.mark.parametrize(
    ("mig", "limits"),
    [
        pytest.param("{strategy: mixed}", None, id="mixed, profiles unknown"),
        pytest.param(
            "{strategy: mixed, profiles: [{name: 1g.10gb, count: 2}, {name: 2g.20gb, count: 1}]}",
            None,
            id="mixed, two profiles",
        ),
        pytest.param(
            "{strategy: mixed, profiles: [{name: 1g.10gb, count: 7}]}",
            {"nvidia.com/mig-1g.10gb": 1},
            id="mixed, one profile",
        ),
        pytest.param("{strategy: single}", {GPU: 1}, id="single"),
    ],
)
def test_with_mig_a_slice_is_given_only_where_there_is_one_kind(
    tmp_path: Path, tools: Toolset, mig: str, limits: dict[str, int] | None
) -> None:
    repository(tmp_path, f"nodePools: [{{name: a, nodes: [{{name: node-1}}], mig: {mig}}}]\n")
    done = with_component(tools, tmp_path, [workload("Deployment", BARE)])["Deployment/app"]
    assert pod_of(done)["containers"][0].get("resources", {}).get("limits") == limits


@pytest.mark.parametrize(("namespace", "slices"), [("llm", "3"), ("images", "1")])
def test_a_quota_is_the_sum_of_the_namespaces_slices(folder: Path, tools: Toolset, namespace: str, slices: str) -> None:
    done = with_component(tools, folder, [workload("Deployment", BARE)], f"{COMPONENT}/quota/{namespace}")
    assert done["ResourceQuota/gpu-a"] == {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "gpu-a", "namespace": namespace},
        "spec": {"hard": {f"requests.{GPU}": slices}},
    }


def test_a_quota_alone_leaves_the_workloads_alone(folder: Path, tools: Toolset) -> None:
    done = with_component(tools, folder, [workload("Deployment", FULL)], f"{COMPONENT}/quota/llm")
    assert done["Deployment/app"] == workload("Deployment", FULL)


def test_a_quota_goes_beside_the_component(folder: Path, tools: Toolset) -> None:
    content: Obj = {"resources": ["app.yaml"], "components": [COMPONENT, f"{COMPONENT}/quota/llm"], "namespace": "llm"}
    done = by_name(build(tools, folder, {"app": content}, {"app/app.yaml": [workload("Deployment", BARE)]}))
    assert sorted(done) == ["Deployment/app", "ResourceQuota/gpu-a"]


@pytest.mark.parametrize("value", ["true", "5", "on", "1e3"])
def test_a_taints_value_stays_text(tmp_path: Path, tools: Toolset, value: str) -> None:
    taints = f'[{{key: gpu, value: "{value}", effect: NoSchedule}}]'
    repository(tmp_path, f"nodePools: [{{name: a, nodes: [{{name: node-1}}], taints: {taints}}}]\n")
    done = with_component(tools, tmp_path, [workload("Deployment", BARE)])["Deployment/app"]
    assert pod_of(done)["tolerations"] == [{"key": "gpu", "operator": "Equal", "value": value, "effect": "NoSchedule"}]


def test_a_quota_counts_the_namespaces_slices_of_every_pool_with_that_resource(tmp_path: Path, tools: Toolset) -> None:
    """The quota's resource is counted on whichever node: one that knew of its own pool alone would be too small."""
    body = """\
        nodePools:
          - {name: a, nodes: [{name: node-1}], sharing: {strategy: time-slicing, replicas: 4}}
          - {name: b, nodes: [{name: node-2}]}
          - {name: c, nodes: [{name: node-3}], sharing: {strategy: mps, replicas: 4, renameByDefault: true}}
        workloads:
          - {name: chat, namespace: llm, pool: a}
          - {name: train, namespace: llm, pool: b}
          - {name: small, namespace: llm, pool: c}
        """
    repository(tmp_path, body)
    pools = "../out/components/gpu-workload/lab"
    content: Obj = {"components": [f"{pools}/{pool}/quota/llm" for pool in ("a", "b", "c")]}
    done = by_name(build(tools, tmp_path, {"app": content}, {}))
    assert {name: obj["spec"]["hard"] for name, obj in done.items()} == {
        "ResourceQuota/gpu-a": {f"requests.{GPU}": "2"},
        "ResourceQuota/gpu-b": {f"requests.{GPU}": "2"},
        "ResourceQuota/gpu-c": {f"requests.{GPU}.shared": "1"},
    }
