"""What the rules on finished objects have in common: selectors, taints, labels of NFD, demands on nodes."""

from __future__ import annotations

from typing import Any

import pytest

from compiler.check.objects.labels import makers
from compiler.check.objects.nodes import pools_for
from compiler.check.objects.programs import Program, program_of
from compiler.check.objects.selectors import matches
from compiler.check.objects.taints import covers, untolerated
from compiler.check.scene import Located, NodeFacts, Scene, pod_templates
from compiler.diagnostics import Place
from compiler.model.kube import Taint
from compiler.objects import Obj

POOL = NodeFacts("gpu", ("gpu-1",), {"tier": "a"})
OTHER = NodeFacts("cpu", ("cpu-1",), {"tier": "b"})
NFD_LABEL = "feature.node.kubernetes.io"


def scene(*objects: Obj, pools: tuple[NodeFacts, ...] = (POOL,), whole: bool = True) -> Scene:
    return Scene(
        [Located(obj, lambda _route, /, *, key=False: Place("x", 1 + key)) for obj in objects], pools, whole=whole
    )


def daemon(spec: dict[str, Any], **container: Any) -> Obj:
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "worker", "namespace": "gpu"},
        "spec": {"template": {"spec": {**spec, "containers": [{"name": "main", **container}]}}},
    }


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ({"key": "app", "operator": "In", "values": ["a", "b"]}, True),
        ({"key": "app", "operator": "In", "values": ["b"]}, False),
        ({"key": "app", "operator": "NotIn", "values": ["b"]}, True),
        ({"key": "app", "operator": "NotIn", "values": ["a"]}, False),
        ({"key": "none", "operator": "NotIn", "values": ["a"]}, True),
        ({"key": "app", "operator": "Exists"}, True),
        ({"key": "none", "operator": "Exists"}, False),
        ({"key": "none", "operator": "DoesNotExist"}, True),
        ({"key": "app", "operator": "DoesNotExist"}, False),
        ({"key": "app", "operator": "Resembles"}, False),
    ],
    ids=str,
)
def test_a_label_selectors_expression_is_read_as_kubernetes_does(expression: Obj, *, expected: bool) -> None:
    assert matches({"matchExpressions": [expression]}, {"app": "a"}) is expected


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        ({"key": "dedicated", "value": "ai", "effect": "NoExecute"}, True),
        ({"key": "dedicated", "operator": "Exists"}, True),
        ({"operator": "Exists"}, True),
        ({"key": "dedicated", "value": "ml"}, False),
        ({"key": "other", "operator": "Exists"}, False),
        ({"key": "dedicated", "value": "ai", "effect": "NoSchedule"}, False),
        ({"value": "ai"}, False),
        ({"operator": "Exists", "tolerationSeconds": 60}, False),
    ],
    ids=str,
)
def test_a_toleration_covers_a_taint_only_for_good(toleration: Obj, *, expected: bool) -> None:
    assert covers(toleration, Taint(key="dedicated", value="ai", effect="NoExecute")) is expected


def test_daemons_tolerate_what_the_controller_adds() -> None:
    (pod,) = pod_templates(scene(daemon({})))
    assert untolerated(pod, (Taint(key="node.kubernetes.io/not-ready", effect="NoExecute"),)) == []


def test_a_taint_that_only_prefers_keeps_nobody_away() -> None:
    (pod,) = pod_templates(scene(daemon({})))
    assert untolerated(pod, (Taint(key="dedicated", effect="PreferNoSchedule"),)) == []


@pytest.mark.parametrize(
    ("container", "expected"),
    [
        ({"command": ["nvidia-device-plugin"]}, Program.PLUGIN),
        ({"command": ["/usr/bin/gpu-feature-discovery"]}, Program.GFD),
        ({"command": ["sh", "-c", "exec nvidia-device-plugin --mig-strategy none"]}, Program.PLUGIN),
        ({"image": "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"}, Program.PLUGIN),
        ({"image": "mirror.example.org:5000/dcgm-exporter@sha256:abc"}, Program.EXPORTER),
        ({"image": "docker.io/rocm/k8s-device-plugin:1.0"}, None),
        ({"image": "nvcr.io/nvidia/k8s-device-plugin", "command": ["sleep"]}, None),
        ({"command": ["nfd-master"], "args": ["-prune"]}, None),
        ({"command": ["nfd-master"], "args": ["-port=8080"]}, Program.NFD_MASTER),
    ],
    ids=str,
)
def test_a_program_is_told_by_command_and_image(container: Obj, expected: Program | None) -> None:
    assert program_of(container) is expected


def worker(config: str | None = None, *arguments: str) -> list[Obj]:
    spec: dict[str, Any] = {}
    container: dict[str, Any] = {"command": ["nfd-worker"], "args": list(arguments)}
    objects: list[Obj] = []
    if config is not None:
        spec = {"volumes": [{"name": "conf", "configMap": {"name": "conf"}}]}
        container["volumeMounts"] = [{"name": "conf", "mountPath": "/etc/kubernetes/node-feature-discovery"}]
        metadata = {"name": "conf", "namespace": "gpu"}
        objects.append(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"nfd-worker.conf": config}}
        )
    return [*objects, daemon(spec, **container)]


@pytest.mark.parametrize(
    ("config", "arguments", "made", "not_made"),
    [
        (None, (), "pci-0300_10de.present", "pci-10de.present"),
        (None, (), "pci-0302_10de.present", "pci-0200_10de.present"),
        ("sources: {pci: {deviceLabelFields: [vendor]}}", (), "pci-10de.present", "pci-0300_10de.present"),
        ("sources: {pci: {deviceLabelFields: [vendor, class]}}", (), "pci-0300_10de.present", "pci-10de_0300.present"),
        ("sources: {pci: {deviceLabelFields: [typo]}}", (), "pci-0300_10de.present", "pci-10de.present"),
        (
            "sources: {pci: {deviceClassWhitelist: ['02'], deviceLabelFields: [vendor]}}",
            (),
            "pci-15b3.present",
            "pci-10de.present",
        ),
        ("core: {labelSources: [cpu]}", (), "cpu-model.family", "pci-0300_10de.present"),
        ("core: {labelSources: [all, -pci]}", (), "cpu-model.family", "pci-0300_10de.present"),
        (None, ("-label-sources=-pci",), "cpu-model.family", "pci-0300_10de.present"),
        ("sources: {custom: [{name: a, labels: {mine: 'true'}}]}", (), "mine", "yours"),
    ],
    ids=str,
)
def test_nfds_worker_makes_the_labels_that_it_is_configured_for(
    config: str | None, arguments: tuple[str, ...], made: str, not_made: str
) -> None:
    found = makers(scene(*worker(config, *arguments)))
    assert found.makes(f"{NFD_LABEL}/{made}")
    assert not found.makes(f"{NFD_LABEL}/{not_made}")


def rule(**spec: Any) -> Obj:
    return {
        "apiVersion": "nfd.k8s-sigs.io/v1alpha1",
        "kind": "NodeFeatureRule",
        "metadata": {"name": "r"},
        "spec": {"rules": [{"name": "r", "labels": {"example.org/gpu": "true"}, **spec}]},
    }


def pci(**expressions: Any) -> list[Obj]:
    return [{"feature": "pci.device", "matchExpressions": expressions}]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, True),
        ({"matchFeatures": pci(vendor={"op": "In", "value": ["10de", "8086"]})}, True),
        ({"matchFeatures": pci(vendor={"op": "In", "value": ["0x10de"]})}, False),
        ({"matchFeatures": pci(vendor={"op": "NotIn", "value": ["8086"]})}, True),
        ({"matchFeatures": pci(vendor={"op": "NotIn", "value": ["10de"]})}, False),
        ({"matchFeatures": pci(vendor={"op": "DoesNotExist"})}, False),
        ({"matchFeatures": pci(vendor={"op": "Exists"})}, True),
        ({"matchFeatures": pci(**{"class": {"op": "InRegexp", "value": ["^03"]}})}, True),
        ({"matchFeatures": pci(**{"class": {"op": "InRegexp", "value": ["^02"]}})}, False),
        ({"matchFeatures": pci(**{"class": {"op": "InRegexp", "value": ["[0"]}})}, True),
        ({"matchFeatures": pci(**{"class": {"op": "InRegexp", "value": ["(02)+"]}})}, True),
        ({"matchAny": [{"matchFeatures": pci(vendor={"op": "In", "value": ["8086"]})}]}, False),
        (
            {
                "matchAny": [
                    {"matchFeatures": pci(vendor={"op": "In", "value": ["8086"]})},
                    {"matchFeatures": pci(vendor={"op": "In", "value": ["10de"]})},
                ]
            },
            True,
        ),
        (
            {"matchFeatures": [{"feature": "kernel.loadedmodule", "matchExpressions": {"nvidia": {"op": "Exists"}}}]},
            True,
        ),
    ],
    ids=str,
)
def test_a_rule_makes_its_label_where_an_nvidia_card_can_meet_it(spec: dict[str, Any], *, expected: bool) -> None:
    assert makers(scene(rule(**spec), whole=False)).makes("example.org/gpu") is expected


def test_a_template_makes_labels_by_name_and_by_pattern() -> None:
    template = (
        "example.org/fixed={{ len .pci.device }}\n{{ range .pci.device }}example.org/pci-{{ .vendor }}=yes\n{{ end }}"
    )
    found = makers(scene(rule(labels={}, labelsTemplate=template), whole=False))
    assert found.makes("example.org/fixed")
    assert found.makes("example.org/pci-10de")
    assert not found.makes("example.org/usb-10de")


def test_discovery_does_not_make_gpu_present() -> None:
    found = makers(scene(daemon({}, command=["gpu-feature-discovery"])))
    assert [found.makes(f"nvidia.com/{name}") for name in ("gpu.product", "gpu.present")] == [True, False]


def test_the_gpu_operator_makes_gpu_present() -> None:
    assert makers(scene(daemon({}, command=["gpu-operator"]))).makes("nvidia.com/gpu.present")


def affinity(*terms: Obj) -> dict[str, Any]:
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
    return {"affinity": {"nodeAffinity": required}}


def expression(key: str, operator: str, *values: str) -> Obj:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, ["gpu", "cpu"]),
        ({"nodeSelector": {"tier": "a"}}, ["gpu"]),
        ({"nodeSelector": {"unknown": "x"}}, ["gpu", "cpu"]),
        ({"nodeSelector": {"kubernetes.io/hostname": "cpu-1"}}, ["cpu"]),
        (affinity(expression("tier", "NotIn", "a")), ["cpu"]),
        (affinity(expression("tier", "Exists")), ["gpu", "cpu"]),
        (affinity(expression("tier", "DoesNotExist")), []),
        (affinity(expression("tier", "Gt", "1")), ["gpu", "cpu"]),
        (affinity(expression("tier", "In", "a"), expression("tier", "In", "b")), ["gpu", "cpu"]),
        (affinity({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["gpu-1"]}]}), ["gpu"]),
        (affinity({"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["gpu-1"]}]}), ["cpu"]),
        ({"nodeSelector": {"tier": "b"}, **affinity(expression("tier", "In", "a"))}, []),
    ],
    ids=str,
)
def test_the_pools_that_a_pod_may_run_on_follow_from_its_demands(spec: dict[str, Any], expected: list[str]) -> None:
    given = scene(daemon(spec), pools=(POOL, OTHER))
    (pod,) = pod_templates(given)
    assert [pool.pool for pool in pools_for(given, pod)] == expected
