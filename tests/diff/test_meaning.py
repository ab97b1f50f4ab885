# ruff: noqa: E501, ISC004 -- what is said reads better on one line
"""What a change does on the cluster, in words."""

from __future__ import annotations

from typing import Any

import pytest

from compiler.diff import Side, compare, effects
from compiler.objects import Obj
from tests.diff.objects import config_map, meant, simple, told, workload

TAINT = {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"}
FLUX: Obj = {
    "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
    "kind": "Kustomization",
    "metadata": {"name": "gpu-stack", "namespace": "flux-system"},
    "spec": {"path": "./out/overlays/lab", "prune": True},
}
ARGO: Obj = {
    "apiVersion": "argoproj.io/v1alpha1",
    "kind": "Application",
    "metadata": {"name": "gpu-stack", "namespace": "argocd"},
    "spec": {"source": {"path": "out/overlays/lab"}, "syncPolicy": {"automated": {"prune": True}}},
}


def plugin_config(sharing: str) -> Obj:
    return config_map("nvidia-device-plugin-config-a", {"config.yaml": f"version: v1\n{sharing}"})


def sliced(replicas: int, *, strategy: str = "timeSlicing", rename: bool = False) -> Obj:
    renamed = f"    renameByDefault: {str(rename).lower()}\n"
    return plugin_config(
        f"sharing:\n  {strategy}:\n{renamed}    resources:\n    - name: nvidia.com/gpu\n      replicas: {replicas}\n"
    )


def imaged(tag: str, **more: Any) -> Obj:
    obj = workload(**more)
    obj["spec"]["template"]["spec"]["containers"][0]["image"] = f"nvcr.io:443/nvidia/k8s-device-plugin{tag}"
    return obj


def selecting(labels: dict[str, str]) -> Obj:
    obj = workload()
    obj["spec"]["selector"]["matchLabels"] = labels
    return obj


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(
            workload(node="n1"),
            workload(node="n1", priorityClassName="p"),
            [
                "restarts: on n1 nvidia-device-plugin-a restarts: running GPU pods go on, new ones wait until it has registered again"
            ],
            id="plugin-restarts",
        ),
        pytest.param(
            workload("mps", program="mps-control-daemon", nodeSelector={"gpu": "yes"}),
            workload("mps", program="mps-control-daemon", nodeSelector={"gpu": "yes"}, hostPID=True),
            [
                "interrupts: on nodes with gpu=yes mps restarts: running jobs on these cards lose their MPS server and fail"
            ],
            id="mps-daemon-restarts",
        ),
        pytest.param(
            workload("nfd", program="nfd-worker"),
            workload("nfd", program="nfd-worker", hostNetwork=True),
            ["restarts: on every node nfd restarts"],
            id="daemonset-everywhere",
        ),
        pytest.param(
            workload(node="n1"),
            workload(node="n2"),
            [
                "interrupts: nvidia-device-plugin-a leaves n1 and starts on n2; the nodes that it leaves advertise no GPUs "
                "any more"
            ],
            id="moves-to-another-node",
        ),
        pytest.param(
            imaged(":v0.20.0", node="n1"),
            imaged(":v0.19.2", node="n1"),
            [
                "restarts: on n1 nvidia-device-plugin-a restarts: running GPU pods go on, new ones wait until it has registered again",
                "note: image k8s-device-plugin v0.20.0 becomes v0.19.2 (nvidia-device-plugin-a)",
            ],
            id="image-behind-a-port",
        ),
        pytest.param(
            selecting({"app": "a"}),
            selecting({"app": "b"}),
            [
                "breaks: the API server refuses to change spec.selector of DaemonSet gpu/nvidia-device-plugin-a: the apply "
                "fails until it is deleted (`kubectl delete daemonset -n gpu nvidia-device-plugin-a`, which stops its pods)"
            ],
            id="immutable-selector",
        ),
        pytest.param(
            simple("RuntimeClass", "nvidia", handler="nvidia"),
            simple("RuntimeClass", "nvidia", handler="runc"),
            [
                "breaks: the API server refuses to change handler of RuntimeClass nvidia: the apply fails until it is "
                "deleted (`kubectl delete runtimeclass nvidia`)"
            ],
            id="immutable-handler",
        ),
        pytest.param(
            sliced(5), sliced(6), ["note: slices of each nvidia.com/gpu on a: 5 before, 6 after"], id="more-slices"
        ),
        pytest.param(
            sliced(5),
            plugin_config("flags: {}\n"),
            [
                "note: sharing on a: time-slicing before, none after",
                "note: slices of each nvidia.com/gpu on a: 5 before, 1 after; pods beyond that stay Pending, running ones go on",
            ],
            id="no-sharing-any-more",
        ),
        pytest.param(
            sliced(5), sliced(5, strategy="mps"), ["note: sharing on a: time-slicing before, MPS after"], id="strategy"
        ),
        pytest.param(
            sliced(5),
            sliced(5, rename=True),
            [
                "interrupts: a advertises nvidia.com/gpu.shared instead of nvidia.com/gpu: pods that ask for the old name stay Pending"
            ],
            id="resource-renamed",
        ),
        pytest.param(
            simple("Namespace", "gpu"),
            simple("Namespace", "gpu")
            | {"metadata": {"name": "gpu", "labels": {"pod-security.kubernetes.io/enforce": "baseline"}}},
            ["interrupts: Pod Security of gpu becomes baseline: new pods that mount paths of the node are refused"],
            id="pod-security",
        ),
        pytest.param(
            config_map("c", {"a": "1"}, immutable=True),
            config_map("c", {"a": "2"}, immutable=True),
            [
                "breaks: the API server refuses to change data of ConfigMap gpu/c: the apply fails until it is deleted "
                "(`kubectl delete configmap -n gpu c`)"
            ],
            id="immutable-config-map",
        ),
    ],
)
def test_effect_of_a_change(old: Obj, new: Obj, expected: list[str]) -> None:
    assert told(meant([old], [new])) == expected


def test_a_new_no_schedule_taint_is_a_note_with_its_command() -> None:
    found = told(meant([workload(node="n1")], [workload(node="n1", tolerations=[TAINT])]))
    assert [text for text in found if "taint" in text] == [
        "note: GPU pods on n1 need a toleration for dedicated=ai:NoSchedule, once the nodes have this taint; nodes that have "
        "registered take a taint by `kubectl taint node n1 dedicated=ai:NoSchedule` only"
    ]


def test_a_new_no_execute_taint_evicts_running_jobs() -> None:
    taint = TAINT | {"effect": "NoExecute"}
    found = told(meant([workload(node="n1")], [workload(node="n1", tolerations=[taint])]))
    assert found[0] == (
        "interrupts: the taint dedicated=ai:NoExecute evicts every pod on n1 that does not tolerate it, running GPU jobs "
        "too, as soon as a node has it; nodes that have registered take a taint by "
        "`kubectl taint node n1 dedicated=ai:NoExecute` only"
    )


def test_a_taint_that_is_no_longer_tolerated_keeps_the_plugin_off() -> None:
    found = told(meant([workload(node="n1", tolerations=[TAINT])], [workload(node="n1")]))
    assert found[0] == (
        "interrupts: the stack no longer tolerates dedicated=ai:NoSchedule: where n1 still has this taint, its pods cannot "
        "come back and GPUs vanish; first `kubectl taint node n1 dedicated=ai:NoSchedule-`"
    )


def test_whoever_tolerates_everything_loses_nothing() -> None:
    everything = [{"operator": "Exists"}]
    found = told(meant([workload(tolerations=[TAINT])], [workload(tolerations=everything)]))
    assert [text for text in found if "tolerate" in text] == []


def test_workloads_that_restart_alike_are_told_together() -> None:
    names = [f"w{number}" for number in range(7)]
    old = [workload(name, program="x", node="n") for name in names]
    new = [workload(name, program="x", node="n", hostPID=True) for name in names]
    assert told(meant(old, new)) == ["restarts: on n w0, w1, w2, w3 and 3 more restart"]


def test_on_delete_restarts_nothing_by_itself() -> None:
    old, new = workload(), workload(hostPID=True)
    old["spec"]["updateStrategy"] = new["spec"]["updateStrategy"] = {"type": "OnDelete"}
    assert [effect.weight for effect in meant([old], [new])] == ["note"]


def test_a_renamed_pool_replaces_its_objects() -> None:
    found = told(meant([workload("p-a", node="n")], [workload("p-b", node="n")], beside=[FLUX]))
    assert found == [
        "restarts: on n pods stop and start anew, replaced by others: DaemonSet gpu/p-a by gpu/p-b",
        "note: Flux (gpu-stack) prunes DaemonSet gpu/p-a",
    ]


def test_a_charts_plugin_is_replaced_by_the_trees() -> None:
    chart = workload("chart", nodeSelector={"gpu": "yes"})
    chart["spec"]["template"]["spec"]["containers"][0]["name"] = "nvidia-device-plugin-ctr"
    assert told(meant([chart], [workload("tree", node="n")], beside=[FLUX]))[0] == (
        "interrupts: DaemonSet gpu/chart is replaced by gpu/tree: its pods leave nodes with gpu=yes and start on n"
    )


def test_a_new_mps_daemon_takes_the_cards() -> None:
    (effect,) = meant([], [workload("mps", program="mps-control-daemon", node="n")])
    assert (effect.weight, "GPU jobs there have to end first" in effect.text) == ("interrupts", True)


def test_a_plugin_that_goes_takes_the_gpus_along() -> None:
    assert told(meant([workload(node="n")], []))[0] == (
        "interrupts: DaemonSet gpu/nvidia-device-plugin-a goes, with its pods on n; its nodes advertise no GPUs any more, "
        "pods that wait for one stay Pending"
    )


@pytest.mark.parametrize(
    ("beside", "expected"),
    [
        ([FLUX], "note: Flux (gpu-stack) prunes ServiceAccount x"),
        ([ARGO], "note: Argo CD (gpu-stack) prunes ServiceAccount x"),
        (
            [FLUX | {"spec": FLUX["spec"] | {"prune": False}}],
            "note: nothing here prunes what leaves the tree; delete by hand: ServiceAccount x",
        ),
        ([], "note: nothing here prunes what leaves the tree; delete by hand: ServiceAccount x"),
    ],
    ids=["flux", "argo-cd", "flux-without-prune", "nobody"],
)
def test_who_prunes(beside: list[Obj], expected: str) -> None:
    assert told(meant([simple("ServiceAccount")], [], beside=beside)) == [expected]


@pytest.mark.parametrize(
    "annotations",
    [
        {"kustomize.toolkit.fluxcd.io/prune": "disabled"},
        {"argocd.argoproj.io/sync-options": "ServerSideApply=true,Prune=false"},
        {"helm.sh/resource-policy": "keep"},
    ],
    ids=lambda value: next(iter(value)),
)
def test_what_is_marked_stays(annotations: dict[str, str]) -> None:
    obj = simple("ServiceAccount") | {"metadata": {"name": "x", "annotations": annotations}}
    assert told(meant([obj], [], beside=[FLUX])) == [
        "note: leaves the tree but stays on the cluster, never pruned: ServiceAccount x"
    ]


def test_a_flux_kustomization_that_goes_prunes_what_it_applied() -> None:
    (effect,) = meant([FLUX], [], root="flux/other")
    assert effect.text == "Flux's Kustomization flux-system/gpu-stack goes: Flux prunes everything that it applied"


def test_an_object_that_moves_between_roots_may_vanish_for_a_while() -> None:
    sides = [Side("", {"overlays/a": [simple("X")]}), Side("", {"overlays/a/monitoring": [simple("X")]})]
    (effect,) = effects(compare(sides[0].roots, sides[1].roots), *sides)
    assert effect.text.startswith("X x moves from overlays/a to overlays/a/monitoring")


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("Namespace", "if Namespace x is deleted, everything in it is deleted too"),
        ("RuntimeClass", "without RuntimeClass x, new pods that name it are refused"),
        ("CustomResourceDefinition", "if x is deleted, every object of this kind is deleted too"),
    ],
)
def test_what_goes_with_more_than_itself(kind: str, says: str) -> None:
    assert told(meant([simple(kind)], []))[0] == f"interrupts: {says}"


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("talos/lab/a/image.yaml", ["interrupts: the nodes of a need another Talos image: each upgrade reboots the node and ends its jobs (commands in out/talos/lab/a/README.md)"]),
        ("talos/lab/a/machine-config.patch.yaml", ["note: the machine configuration of a changes: `talosctl patch machineconfig` (out/talos/lab/a/README.md); a node that has registered changes its taints and restricted labels by kubectl only"]),
        ("talos/lab/a/README.md", []),
        ("components/gpu-workload/lab/a/kustomization.yaml", ["note: workloads that include components/gpu-workload/lab/a change with their next build"]),
        ("components/gpu-workload/lab/a/README.md", []),
    ],
)  # fmt: skip
def test_files_that_no_gitops_tool_applies(path: str, says: list[str]) -> None:
    assert told(effects([], Side("", {}, {path: "1"}), Side("", {}, {path: "2"}))) == says


def test_a_plain_folder_says_nothing_of_talos() -> None:
    assert effects([], Side("", {"": []}), Side("", {}, {"talos/lab/a/schematic.yaml": "1"})) == []


def test_nodes_with_more_slices_are_named_where_the_tree_knows_them() -> None:
    old, new = (config_map("gpu-gate", {"n1": f"nvidia.com/gpu={count}"}) for count in (5, 10))
    assert told(meant([old], [new], root="flux/lab/gate")) == [
        "note: slices of n1: nvidia.com/gpu=5 before, nvidia.com/gpu=10 after"
    ]


def test_the_gravest_comes_first() -> None:
    old = [workload("p", node="n"), simple("RuntimeClass", handler="a"), simple("RuntimeClass", "gone")]
    new = [workload("p", node="n", hostPID=True), simple("RuntimeClass", handler="b")]
    assert [effect.weight for effect in meant(old, new)] == ["breaks", "interrupts", "restarts", "note"]
