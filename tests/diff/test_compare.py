"""What differs between two sets of objects: pairs, paths, hashes, noise."""

from __future__ import annotations

from typing import Any

import pytest

from compiler.diff import ABSENT, compare
from compiler.diff.fields import fields
from tests.diff.objects import changes, config_map, simple, workload

HASHES = ("-2456789bcd", "-fghkmt2456")


def _shown(old: Any, new: Any) -> list[tuple[str, Any, Any]]:
    return [(item.path, item.old, item.new) for item in fields(old, new)]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param({"a": 1}, {"a": 1}, [], id="same"),
        pytest.param({"a": 1}, {"a": "1"}, [("a", 1, "1")], id="type"),
        pytest.param({"a": 1}, {"a": True}, [("a", 1, True)], id="one-is-not-true"),
        pytest.param({"a": None}, {}, [("a", None, ABSENT)], id="null-is-not-absent"),
        pytest.param({"a.b/c": 1}, {"a.b/c": 2}, [("[a.b/c]", 1, 2)], id="dotted-key"),
        pytest.param(
            {"env": [{"name": "A", "value": "1"}, {"name": "B"}]},
            {"env": [{"name": "B"}, {"name": "A", "value": "2"}]},
            [("env[A].value", "1", "2"), ("env (order)", ["A", "B"], ["B", "A"])],
            id="items-by-name-and-their-order",
        ),
        pytest.param(
            {"m": [{"name": "c", "mountPath": "/a"}, {"name": "c", "mountPath": "/b"}]},
            {"m": [{"name": "c", "mountPath": "/a"}, {"name": "c", "mountPath": "/b", "readOnly": True}]},
            [("m[/b].readOnly", ABSENT, True)],
            id="items-by-mount-path",
        ),
        pytest.param(
            {"rules": [{"alert": "A", "expr": "1"}, {"record": "r", "expr": "1"}]},
            {"rules": [{"alert": "A", "expr": "2"}, {"record": "r", "expr": "1"}]},
            [("rules[A].expr", "1", "2")],
            id="rules-by-alert",
        ),
        pytest.param(
            {"args": ["a", "b"]}, {"args": ["b", "a"]}, [("args (order)", ["a", "b"], ["b", "a"])], id="order"
        ),
        pytest.param({"l": ["a", "a"]}, {"l": ["a"]}, [("l[]", "a", ABSENT)], id="repeated-item"),
        pytest.param(
            {"l": [{"verbs": ["get"], "resources": ["a"]}, {"verbs": ["list"], "resources": ["b"]}]},
            {"l": [{"verbs": ["list", "watch"], "resources": ["b"]}, {"verbs": ["get"], "resources": ["a"]}]},
            [("l[].verbs[]", ABSENT, "watch")],
            id="items-without-key-pair-up",
        ),
        pytest.param(
            {"config.yaml": "a: 1\nb: 2\n"},
            {"config.yaml": "b: 2\na: 3\n"},
            [("[config.yaml]: a", 1, 3)],
            id="yaml-file-as-data",
        ),
        pytest.param(
            {"config.yaml": "a: 1\n# old\n"},
            {"config.yaml": "a: 1\n# new\n"},
            [("[config.yaml]", "# old", "# new")],
            id="comment-in-yaml-file",
        ),
        pytest.param(
            {"c.csv": "A, gauge\nB, gauge\n"},
            {"c.csv": "A, gauge\nC, gauge\n"},
            [("[c.csv]", "B, gauge", "C, gauge")],
            id="lines",
        ),
        pytest.param({"c": "a\nb\n"}, {"c": "b\na\n"}, [("c (order of lines)", ABSENT, ABSENT)], id="lines-reordered"),
        pytest.param({"c": "a\nb\n"}, {"c": "a\nb\n"}, [], id="same-lines"),
        pytest.param({"c.yaml": "a: [\n"}, {"c.yaml": "a: {\n"}, [("[c.yaml]", "a: [", "a: {")], id="broken-yaml-file"),
    ],
)
def test_fields(old: Any, new: Any, expected: list[tuple[str, Any, Any]]) -> None:
    assert _shown(old, new) == expected


def test_deep_values_do_not_overflow_the_stack() -> None:
    old: Any = 1
    new: Any = 2
    for _ in range(150):
        old, new = {"a": old}, {"a": new}
    assert len(_shown(old, new)) == 1


def test_hashed_names_pair_up_and_the_workload_restarts() -> None:
    old, new = (
        [
            config_map(f"config{suffix}", {"a": str(index)}),
            workload(volumes=[{"name": "c", "configMap": {"name": f"config{suffix}"}}]),
        ]
        for index, suffix in enumerate(HASHES)
    )
    found = changes(old, new)
    assert [(change.kind, change.id.name, change.restarts) for change in found] == [
        ("changed", "config", False),
        ("changed", "nvidia-device-plugin-a", True),
    ]
    assert [item.path for item in found[0].fields] == ["data.a"]
    assert found[1].fields == ()


def test_another_hash_in_something_else_than_a_pod_is_no_change() -> None:
    old, new = ([config_map(f"c{hash_}", {}), simple("Pod", spec={"volume": f"c{hash_}"})] for hash_ in HASHES)
    assert changes(old, new) == []


def test_two_names_that_differ_in_the_hash_alone_are_two_objects() -> None:
    both = [config_map(f"c{hash_}", {}) for hash_ in HASHES]
    (change,) = changes(both, both[:1])
    assert (change.kind, change.old) == ("removed", both[1])


def test_a_new_version_of_an_api_is_the_same_object() -> None:
    old = simple("HorizontalPodAutoscaler") | {"apiVersion": "autoscaling/v1"}
    (change,) = changes([old], [old | {"apiVersion": "autoscaling/v2"}])
    assert [(item.path, item.new) for item in change.fields] == [("apiVersion", "autoscaling/v2")]


@pytest.mark.parametrize(
    ("metadata", "noise"),
    [
        ({"labels": {"app.kubernetes.io/version": "2"}}, True),
        ({"annotations": {"note": "2"}}, True),
        ({"annotations": {"kustomize.toolkit.fluxcd.io/prune": "disabled"}}, False),
        ({"annotations": {"argocd.argoproj.io/sync-wave": "1"}}, False),
        ({"labels": {"pod-security.kubernetes.io/enforce": "baseline"}}, False),
        ({"finalizers": ["x"]}, False),
    ],
    ids=str,
)
def test_labels_that_nothing_acts_upon_are_noise(metadata: dict[str, Any], noise: bool) -> None:  # noqa: FBT001
    old = simple("Service")
    (change,) = changes([old], [old | {"metadata": old["metadata"] | metadata}])
    assert change.noise is noise


def test_a_label_of_the_pod_template_is_no_noise() -> None:
    old, new = workload(), workload()
    new["spec"]["template"]["metadata"]["labels"] = {"app": "nvidia-device-plugin-a", "more": "1"}
    (change,) = changes([old], [new])
    assert (change.noise, change.restarts) == (False, True)


def test_the_order_of_environment_variables_restarts_pods() -> None:
    env = [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]
    old, new = workload(), workload()
    old["spec"]["template"]["spec"]["containers"][0]["env"] = env
    new["spec"]["template"]["spec"]["containers"][0]["env"] = env[::-1]
    (change,) = changes([old], [new])
    assert change.restarts


def test_what_a_secret_holds_is_never_shown() -> None:
    old, new = (simple("Secret", data={"password": value}) for value in ("aHVudGVyMg==", "c2VjcmV0"))
    (change,) = changes([old], [new])
    assert [(item.path, item.old, item.new) for item in change.fields] == [("data", "(secret)", "(secret), changed")]


def test_a_plain_folder_is_compared_with_all_overlays_and_without_what_delivers_them() -> None:
    tree = {"overlays/a": [simple("Namespace")], "overlays/a/monitoring": [simple("Service")], "flux/a": [simple("K")]}
    assert compare({"": [simple("Namespace"), simple("Service")]}, tree) == []


def test_one_object_in_two_roots_is_compared_in_each() -> None:
    new = simple("Namespace", spec={})
    found = compare({"a": [simple("Namespace")], "b": [simple("Namespace")]}, {"a": [simple("Namespace")], "b": [new]})
    assert [(change.root, change.kind) for change in found] == [("b", "changed")]
