"""The rules on objects that nobody has checked: any shape, and many node pools."""

from __future__ import annotations

import copy
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.check.scene import Located, NodeFacts, Scene
from compiler.diagnostics import Place
from compiler.model.kube import Taint
from compiler.objects import Obj
from tests.check.scene.fixtures import INPUTS, documents, facts_of, run

SCENES = [
    list(documents(path.read_text(encoding="utf-8"), path.name)) for path in INPUTS if path.name.startswith("fail.")
]
JUNK: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 0, 3, "", "x", "nvidia.com/gpu", [], {}, [None], ["a"], [{}], {"a": None}, {"": []}]
)


def routes(value: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the routes to everything below a value."""
    found = []
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        found += [(*above, key), *routes(inner, (*above, key))]
    return found


def located(obj: Obj) -> Located:
    return Located(obj, lambda _route, /, *, key=False: Place("stack.yaml", 1 + key))


@given(st.data())
def test_no_shape_of_an_object_makes_a_rule_fail(data: st.DataObject) -> None:
    first, *others = data.draw(st.sampled_from(SCENES))
    objects = [copy.deepcopy(document.data) for document in others]
    for _ in range(data.draw(st.integers(1, 4))):
        obj = data.draw(st.sampled_from(objects))
        # What makes an object an object is checked where it is read.
        able = [route for route in routes(obj) if route[0] not in ("apiVersion", "kind") and route[0] != "metadata"]
        able += [route for route in routes(obj) if route[0] == "metadata" and route[1:2] not in ((), ("name",))]
        if not able:
            continue
        *above, last = data.draw(st.sampled_from(able))
        parent: Any = obj
        for key in above:
            parent = parent[key]
        parent[last] = copy.deepcopy(data.draw(JUNK))
    found = run(Scene([located(obj) for obj in objects], **{"pools": None, **facts_of(first.data)}))
    assert all(item.message and item.help for item in found)


def fleet(pools: int) -> Scene:
    """Return a scene with a device plugin, GFD, exporter and taint of its own for each pool."""
    objects: list[Obj] = []
    facts = []
    programs = {
        "plugin": "nvidia-device-plugin",
        "gfd": "gpu-feature-discovery",
        "exporter": "dcgm-exporter",
    }
    for number in range(pools):
        labels = {"nvidia.com/gpu.present": "true", "pool": f"p{number}"}
        facts.append(
            NodeFacts(
                f"p{number}",
                (f"node-{number}",),
                labels,
                (Taint(key="pool", value=f"p{number}", effect="NoSchedule"),),
                (1, 13),
                {"nvidia.com/gpu": 5},
            )
        )
        for part, command in programs.items():
            own = {"app": part, "pool": f"p{number}"}
            objects.append(
                {
                    "apiVersion": "apps/v1",
                    "kind": "DaemonSet",
                    "metadata": {"name": f"{part}-p{number}", "namespace": "gpu"},
                    "spec": {
                        "selector": {"matchLabels": own},
                        "template": {
                            "metadata": {"labels": own},
                            "spec": {
                                "runtimeClassName": "nvidia",
                                "nodeSelector": labels,
                                "tolerations": [{"key": "pool", "value": f"p{number}"}],
                                "containers": [{"name": part, "image": "example.org/gpu:1", "command": [command]}],
                            },
                        },
                    },
                }
            )
    return Scene([located(obj) for obj in objects], tuple(facts), whole=False)


@pytest.mark.parametrize("pools", [1, 10, 100])
def test_a_fleet_has_no_finding(pools: int) -> None:
    assert run(fleet(pools)) == []


def test_the_time_grows_linearly_with_the_pools() -> None:
    def took(pools: int) -> float:
        given = fleet(pools)
        start = time.process_time()
        run(given)
        return time.process_time() - start

    run(fleet(1))
    few, many = min(took(20) for _ in range(5)), min(took(200) for _ in range(3))
    # Ten times the pools: a quadratic rule would take a hundred times as long.
    assert many < 25 * few


@pytest.mark.parametrize("text", ["${A" * 200_000, "${" + "a" * 400_000], ids=["many names", "one long name"])
def test_a_text_full_of_unfinished_variables_is_read_in_time(text: str) -> None:
    flux = {
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
        "kind": "Kustomization",
        "metadata": {"name": "gpu", "namespace": "flux-system"},
        "spec": {"postBuild": {"substitute": {"B": "b"}}},
    }
    script = {"name": "script", "namespace": "gpu"}
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": script, "data": {"run": text}}
    start = time.process_time()
    assert run(Scene([located(flux), located(config)], None)) == []
    assert time.process_time() - start < 10
