"""Any stack that somebody could write is refused with a place, or compiles to what kustomize and kubeconform pass."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.errors import InputError
from compiler.objects import Json, Obj
from compiler.pipeline import Built, build
from compiler.validate import Toolset, validate_tree
from tests.components import facts

EXAMPLES = 5000 if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 300
TOGETHER = 10
"""Stacks that kustomize and kubeconform see in one go, as overlays of one tree."""

NAMES = st.sampled_from(["a", "gpu-1", "worker4", "x" * 40])
LABELS = st.dictionaries(st.sampled_from(["example.com/gpu", "pool"]), st.sampled_from(["a", "b", ""]), max_size=2)
TAINT = st.fixed_dictionaries(
    {"key": st.sampled_from(["dedicated", "nvidia.com/gpu"]), "effect": st.sampled_from(["NoSchedule", "NoExecute"])},
    optional={"value": st.sampled_from(["ai", "present"])},
)
REPLICAS = st.sampled_from([0, 1, 2, 5, 48, 49, 1025])
SHARING = st.one_of(
    st.just({"strategy": "none"}),
    st.fixed_dictionaries(
        {"strategy": st.sampled_from(["time-slicing", "mps"]), "replicas": REPLICAS},
        optional={"renameByDefault": st.booleans()},
    ),
    st.just({"strategy": "time-slicing", "resources": [{"name": "nvidia.com/mig-1g.10gb", "replicas": 2}]}),
)
MIG = st.sampled_from(
    [
        {"strategy": "none"},
        {"strategy": "single"},
        {"strategy": "single", "profiles": [{"name": "1g.10gb", "count": 7}]},
        {"strategy": "mixed", "profiles": [{"name": "1g.10gb", "count": 2}, {"name": "3g.40gb", "count": 1}]},
    ]
)
PLATFORM = st.sampled_from(
    [{"os": "generic"}, *({"os": "talos", "version": v} for v in ("v1.11.0", "v1.13.3", "v1.14.1"))]
)
POOL = st.fixed_dictionaries(
    {"name": NAMES},
    optional={
        "nodes": st.lists(st.fixed_dictionaries({"name": NAMES}), min_size=1, max_size=2),
        "nodeSelector": LABELS,
        "taints": st.lists(TAINT, max_size=2),
        "sharing": SHARING,
        "mig": MIG,
        "platform": PLATFORM,
    },
)
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "resources": st.sampled_from([{"limits": {"memory": "1Gi"}}, {"limits": {"nvidia.com/gpu": 1}}]),
        "env": st.sampled_from(
            [[{"name": "A", "value": "${B}"}], [{"name": "DEVICE_LIST_STRATEGY", "value": "envvar"}]]
        ),
        "tolerations": st.sampled_from(
            [[{"operator": "Exists"}], [{"key": "a", "value": "b", "effect": "NoSchedule"}]]
        ),
        "annotations": st.just({"example.com/a": "on"}),
        "image": st.sampled_from([{"tag": "v1"}, {"repository": "example.com/x", "pullPolicy": "Always"}]),
    },
)


def merged(*parts: st.SearchStrategy[Obj]) -> st.SearchStrategy[Obj]:
    """Return mappings that join what each strategy gives."""
    return st.tuples(*parts).map(lambda found: {key: value for part in found for key, value in part.items()})


PLUGIN = merged(
    st.just({"version": "v0.20.0"}),
    st.fixed_dictionaries(
        {"deviceDiscoveryStrategy": st.sampled_from(["nvml", "nvml", "auto"])},
        optional={
            "deviceListStrategy": st.sampled_from(
                [["envvar"], ["cdi-cri"], ["volume-mounts"], ["envvar", "cdi-annotations"]]
            ),
            "passDeviceSpecs": st.booleans(),
        },
    ),
    SETTINGS,
)
EXPORTER = merged(
    st.just({"version": "4.5.3-4.8.2-distroless"}),
    st.fixed_dictionaries({}, optional={"serviceMonitor": st.just({"enabled": True}), "profiling": st.booleans()}),
    SETTINGS,
)
STACK = st.fixed_dictionaries(
    {
        "apiVersion": st.just("gpuc/v1alpha1"),
        "kind": st.just("GPUStack"),
        "namespace": st.sampled_from(["gpu", {"name": "gpu", "managed": "external"}]),
        "kubernetes": st.sampled_from([{"version": "1.29"}, {"version": "1.34"}, {"version": "1.37"}]),
        "platform": PLATFORM,
        "nodeFeatureDiscovery": st.sampled_from(
            [{"version": "v0.19.0"}, {"managed": "external", "labels": ["nvidia.com/gpu.present"]}, {"version": "v9"}]
        ),
        "devicePlugin": PLUGIN,
    },
    optional={
        "dcgmExporter": EXPORTER,
        "gpuFeatureDiscovery": st.fixed_dictionaries({"enabled": st.booleans()}),
        "delivery": st.sampled_from([{"flux": {}}, {"argocd": {"repoURL": "https://git.example.org/x.git"}}]),
        "monitoring": st.sampled_from([{"rules": {"enabled": True}}, {"dashboard": {"enabled": True}}]),
    },
)
OVERLAY = st.fixed_dictionaries(
    {
        "apiVersion": st.just("gpuc/v1alpha1"),
        "kind": st.just("Overlay"),
        "cluster": st.just("c"),
        "nodePools": st.lists(POOL, min_size=1, max_size=3),
    },
    optional={"allNodesTainted": st.booleans()},
)


def compiled(stack: Json, overlay: Json) -> Built | None:
    """Compile inputs, or return None where they are refused, which has to name a line of one of the files."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, content in (("base/stack.yaml", stack), ("overlays/lab/overlay.yaml", overlay)):
            (root / path).parent.mkdir(parents=True)
            (root / path).write_text(json.dumps(content), encoding="utf-8")
        try:
            return build(root)
        except InputError as error:
            refused = error.diagnostics
    assert refused
    assert all(found.place and found.place.path.endswith(".yaml") for found in refused)
    return None


def test_a_stack_is_refused_with_a_place_or_passes_kustomize_and_kubeconform(tools: Toolset, tmp_path: Path) -> None:
    waiting: list[Built] = []

    @settings(max_examples=EXAMPLES)
    @given(STACK, OVERLAY)
    def judge(stack: Json, overlay: Json) -> None:
        found = compiled(stack, overlay)
        if found is None:
            return
        objects = [obj for root in found.tree.roots.values() for obj in root.expected]
        assert facts.unselected_pods([obj for obj in objects if obj["kind"] in {"DaemonSet", "Deployment"}]) == []
        if len(waiting) < EXAMPLES // TOGETHER:
            waiting.append(found)

    judge()
    assert waiting, "every stack was refused: the generator has gone wrong"
    problems = [
        (found.message, built.tree.files)
        for built in waiting
        for found in validate_tree(built.tree, tools, tmp_path).diagnostics
    ]
    assert problems == []


@pytest.mark.parametrize("key", ["devicePlugin", "kubernetes", "platform", "nodeFeatureDiscovery"])
@settings(max_examples=EXAMPLES // 10)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=8), inner, max_size=2),
        max_leaves=6,
    ),
    STACK,
    OVERLAY,
)
def test_anything_in_place_of_a_setting_is_refused_with_a_place(
    key: str, junk: Json, stack: Obj, overlay: Json
) -> None:
    assert compiled({**stack, key: junk}, overlay) is None
