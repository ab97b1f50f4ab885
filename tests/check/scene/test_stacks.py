"""The rules on whole stacks: what gpuc compiles, what NVIDIA's charts render, and a stack as its owner deployed it."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from compiler.check.scene import Located, NodeFacts, Route, Scene
from compiler.diagnostics import Place
from compiler.model.kube import Taint
from compiler.objects import Obj
from compiler.pipeline import build
from compiler.scenes import compiled_scene
from compiler.yaml.readback import load_all
from tests.check.scene.fixtures import documents, run, scene_of
from tests.golden import stored

ROOT = Path(__file__).parents[3]
SHARED = ROOT / "../shared"
TAINT = Taint(key="dedicated", value="ai", effect="NoSchedule")
CRDS = [
    crd
    for path in sorted((ROOT / "compiler/schemas/crds").glob("*nfd*.yaml"))
    for crd in load_all(path.read_text(encoding="utf-8"))
]
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="../shared is not here: it holds the rendered charts")

NAMESPACE = {
    "apiVersion": "v1",
    "kind": "Namespace",
    "metadata": {"name": "nvidia-gpu-operator", "labels": {"pod-security.kubernetes.io/enforce": "privileged"}},
}
RUNTIME_CLASS = {
    "apiVersion": "node.k8s.io/v1",
    "kind": "RuntimeClass",
    "metadata": {"name": "nvidia"},
    "handler": "nvidia",
}
GPU_PRESENT_RULE = {
    "apiVersion": "nfd.k8s-sigs.io/v1alpha1",
    "kind": "NodeFeatureRule",
    "metadata": {"name": "gpu-present"},
    "spec": {
        "rules": [
            {
                "name": "gpu-present",
                "labels": {"nvidia.com/gpu.present": "true"},
                "matchFeatures": [
                    {"feature": "pci.device", "matchExpressions": {"vendor": {"op": "In", "value": ["10de"]}}}
                ],
            }
        ]
    },
}


def scene(objects: Iterable[Obj], labels: dict[str, str] | None = None) -> Scene:
    """Return a scene on worker4; a place names the object and the field."""
    return Scene(
        [located(obj) for obj in objects],
        (NodeFacts("worker4", ("k8s-worker4",), labels or {}, (TAINT,), (1, 13), {"nvidia.com/gpu": 5}, cards=1),),
        external_crds=frozenset({"servicemonitors.monitoring.coreos.com"}),
    )


def located(obj: Obj) -> Located:
    def place(route: Route, /, *, key: bool = False) -> Place:
        del key
        return Place(f"{obj['kind']}/{obj['metadata']['name']}:{'.'.join(map(str, route))}")

    return Located(obj, place)


def findings(given: Scene) -> list[tuple[str, str]]:
    return [(item.rule, item.place.path if item.place else "") for item in run(given)]


@pytest.mark.parametrize("case", stored.CASES)
def test_a_compiled_stack_has_no_finding(case: str, tmp_path: Path) -> None:
    for path, text in stored.inputs(case).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    built = build(tmp_path)
    for environment in built.project.environments:
        objects = {name: root.expected for name, root in built.tree.roots.items()}
        assert run(compiled_scene(environment, built.tree, objects, [])) == []


@pytest.mark.parametrize(
    ("kind", "name", "line"),
    [
        ("PrometheusRule", "gpu-rules", "  rules: {enabled: true}"),
        ("ConfigMap", "gpu-dashboard", "  dashboard: {enabled: true}"),
        ("ServiceMonitor", "dcgm-exporter", "  serviceMonitor: {enabled: true}"),
    ],
    ids=["rules", "dashboard", "service-monitor"],
)
def test_an_object_of_monitoring_is_blamed_on_the_setting_that_asks_for_it(kind: str, name: str, line: str) -> None:
    built = build(ROOT)
    (environment,) = built.project.environments
    objects = {root: found.expected for root, found in built.tree.roots.items()}
    given = compiled_scene(environment, built.tree, objects, [])
    (found,) = [item for item in given.objects if (item.kind, item.name) == (kind, name)]
    assert found.place(("metadata", "name")).text == line


def test_worker4_has_no_finding() -> None:
    built = build(ROOT)
    (environment,) = built.project.environments
    objects = {name: root.expected for name, root in built.tree.roots.items()}
    assert run(compiled_scene(environment, built.tree, objects, [])) == []


def rendered(name: str) -> list[Obj]:
    """Return what the charts render, with what they leave out, and the contents of ConfigMaps as text again."""
    objects = json.loads((SHARED / "oracle" / name).read_text(encoding="utf-8"))
    for obj in objects:
        if obj["kind"] == "ConfigMap":
            obj["data"] = {key: _as_text(value) for key, value in obj["data"].items()}
    return [*objects, NAMESPACE, RUNTIME_CLASS, GPU_PRESENT_RULE]


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        return "".join(f"{field}, {kind}, {field}\n" for field, kind in value)
    return value if isinstance(value, str) else json.dumps(value)


_OVERLAPS = [
    ("GPU209", f"DaemonSet/nvidia-device-plugin{name}:spec.selector")
    for name in ("", "-gpu-feature-discovery", "-mps-control-daemon")
]


@needs_shared
def test_the_charts_for_worker4_share_selectors_and_bring_an_mps_daemon() -> None:
    daemon = ("GPU228", "DaemonSet/nvidia-device-plugin-mps-control-daemon:metadata.name")
    assert sorted(findings(scene(rendered("upstream-objects.json")))) == sorted([*_OVERLAPS, daemon])


@needs_shared
def test_the_charts_with_mps_only_share_selectors() -> None:
    assert sorted(findings(scene(rendered("upstream-objects-mps.json")))) == sorted(_OVERLAPS)


def as_deployed() -> list[Obj]:
    text = (SHARED / "cases/worker4-as-deployed.yaml").read_text(encoding="utf-8")
    return [document.data for document in documents(text, "stack.yaml")]


# The label is on the node by hand; its owner's objects do not make it.
LABELS = {"nvidia.com/gpu.present": "true"}
NFD = "nvidia-device-plugin-node-feature-discovery"
SIX = {
    "GPU204": [f"DaemonSet/{NFD}-worker:spec.template.spec.tolerations"],
    "GPU209": [where for _, where in _OVERLAPS],
    "GPU220": [
        *(
            f"{kind}/{name}:metadata.namespace"
            for kind in ("ClusterRole", "ClusterRoleBinding")
            for name in (NFD, f"{NFD}-gc", f"{NFD}-prune")
        ),
        "ClusterRole/nvidia-device-plugin-role:metadata.namespace",
        "ClusterRoleBinding/nvidia-device-plugin-role-binding:metadata.namespace",
        "Namespace/nvidia-gpu-operator:metadata.namespace",
        "RuntimeClass/nvidia:metadata.namespace",
    ],
    "GPU223": [
        f"DaemonSet/{NFD}-worker:spec.template.spec.containers.0.image",
        f"Deployment/{NFD}-master:spec.template.spec.containers.0.image",
    ],
    "GPU228": ["DaemonSet/nvidia-device-plugin-mps-control-daemon:metadata.name"],
    "GPU230": [f"Job/{NFD}-prune:metadata.annotations.helm.sh/hook"],
}


@needs_shared
@pytest.mark.parametrize(("rule", "places"), SIX.items(), ids=SIX)
def test_each_fault_of_worker4_as_deployed_is_found(rule: str, places: list[str]) -> None:
    found = findings(scene(as_deployed(), LABELS))
    assert sorted(where for code, where in found if code == rule) == sorted(places)


@needs_shared
def test_nothing_but_the_six_faults_of_worker4_as_deployed_is_found() -> None:
    assert {code for code, _ in findings(scene(as_deployed(), LABELS))} == SIX.keys()


@needs_shared
def test_a_fault_of_worker4_as_deployed_is_found_at_its_line() -> None:
    text = (SHARED / "cases/worker4-as-deployed.yaml").read_text(encoding="utf-8")
    given = scene_of(text, pools=scene([], LABELS).pools)
    (found,) = [item for item in run(given) if item.rule == "GPU204"]
    lines = text.splitlines()
    assert found.place
    assert lines[found.place.line - 1][found.place.column - 1 :] == "tolerations:"
    assert lines[found.place.line : found.place.line + 2] == [
        "        - effect: NoSchedule",
        "          key: node-role.kubernetes.io/master",
    ]


def repaired() -> list[Obj]:
    """Return worker4 as deployed without its six faults."""
    kept = []
    for obj in copy.deepcopy(as_deployed()):
        name, meta = obj["metadata"]["name"], obj["metadata"]
        if name.endswith(("-prune", "-mps-control-daemon")):
            continue
        if obj["kind"].startswith(("Cluster", "Namespace", "RuntimeClass")):
            meta.pop("namespace", None)
        if obj["kind"] == "DaemonSet":
            pod = obj["spec"]["template"]
            obj["spec"]["selector"]["matchLabels"]["part"] = pod["metadata"]["labels"]["part"] = name
            if name.endswith("-worker"):
                pod["spec"]["tolerations"].append({"operator": "Exists"})
        kept.append(obj)
    return [*kept, *CRDS]


@needs_shared
def test_worker4_as_deployed_has_no_finding_once_it_is_repaired() -> None:
    assert findings(scene(repaired(), LABELS)) == []


@needs_shared
def test_the_exporters_label_is_missed_where_nobody_put_it_on_the_node() -> None:
    (found,) = run(scene(repaired()))
    assert found.rule == "GPU201"
    assert "DaemonSet dcgm-exporter" in found.message
    assert "nvidia.com/gpu.present=true, which nothing makes" in found.message
