from __future__ import annotations

from copy import deepcopy

import pytest

from compiler.diagnostics import Place
from compiler.objects import Json, Obj
from compiler.validate.agreement import compare, differences

POD: Obj = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "x", "namespace": "gpu"},
    "spec": {
        "containers": [
            {"name": "a", "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}], "args": ["-a", "-b"]},
            {"name": "b", "ports": [{"containerPort": 1, "name": "p"}, {"containerPort": 1, "protocol": "UDP"}]},
        ],
        "volumes": [{"name": "v"}, {"name": "w"}],
    },
}


def changed(*steps: Json, to: Json) -> Obj:
    """Return the pod with the value at a route replaced."""
    obj: Json = deepcopy(POD)
    place = obj
    for step in steps[:-1]:
        place = place[step]
    place[steps[-1]] = to
    return dict(obj)


def messages(expected: list[Obj], actual: list[Obj]) -> list[str]:
    return [one.message.partition(";")[0] for one in compare(expected, actual)]


def test_equal_sets_agree_in_any_order() -> None:
    other = {**POD, "kind": "Other"}
    assert compare([POD, other], [deepcopy(other), deepcopy(POD)]) == []


def test_a_difference_names_object_field_and_both_values() -> None:
    place = Place("out/overlays/x/kustomization.yaml")
    field, why = "spec.containers[0].env[1].value", "what was checked is not what would be applied"
    found = compare([POD], [changed("spec", "containers", 0, "env", 1, "value", to="3")], place)
    assert [(one.rule, one.message, one.place) for one in found] == [
        (
            "GPU933",
            f'Pod gpu/x: {field} was compiled as "2", and kustomize builds "3"; {why}',
            place,
        )
    ]


@pytest.mark.parametrize(
    ("actual", "message"),
    [
        ([], "kustomize does not build Pod gpu/x"),
        ([POD, {**POD, "kind": "Job"}], "kustomize builds Job gpu/x, which was not compiled"),
        ([POD, POD], "Pod gpu/x is built by kustomize 2 times"),
    ],
    ids=["missing", "too many", "twice"],
)
def test_whole_objects_are_missed(actual: list[Obj], message: str) -> None:
    assert messages([POD], actual) == [message]


@pytest.mark.parametrize(
    "route", [("containers", 0, "env"), ("volumes",), ("containers", 1, "ports")], ids=["env", "volumes", "ports"]
)
def test_lists_that_kubernetes_merges_by_key_have_no_order(route: tuple[Json, ...]) -> None:
    items: Json = POD["spec"]
    for step in route:
        items = items[step]
    assert messages([POD], [changed("spec", *route, to=items[::-1])]) == []


@pytest.mark.parametrize("route", [("containers",), ("containers", 0, "args")], ids=["containers", "args"])
def test_other_lists_have(route: tuple[Json, ...]) -> None:
    items: Json = POD["spec"]
    for step in route:
        items = items[step]
    assert messages([POD], [changed("spec", *route, to=items[::-1])]) != []


@pytest.mark.parametrize(
    ("left", "right"),
    [(1, True), (1, "1"), (None, ""), ({}, []), ({}, None), (0, False), ({"a": None}, {})],
)
def test_values_of_different_types_differ(left: Json, right: Json) -> None:
    assert [(one.route[:1], one.expected) for one in differences({"f": left}, {"f": right})] != []


def test_an_absent_field_is_called_nothing() -> None:
    assert [tuple(one) for one in differences({"a": 1}, {})] == [(("a",), "1", "nothing")]


def test_a_key_that_does_not_tell_items_apart_leaves_the_order() -> None:
    left = {"env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]}
    right = {"env": [{"name": "A", "value": "2"}, {"name": "A", "value": "1"}]}
    assert [one.route for one in differences(left, right)] == [("env", "0", "value"), ("env", "1", "value")]


def test_at_most_ten_fields_of_an_object_are_listed() -> None:
    left = {**POD, "data": {str(number): 1 for number in range(50)}}
    assert len(messages([left], [{**POD, "data": {}}])) == 10
