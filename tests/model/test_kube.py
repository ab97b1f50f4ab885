"""Taints, tolerations and the other pieces of Kubernetes objects mean here what they mean to the API server."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from pydantic import ValidationError

from compiler.model.base import Model
from compiler.model.kube import EnvVar, Taint, Toleration, UpdateStrategy

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


def taint(key: str = "dedicated", value: str = "ai", effect: str = "NoSchedule") -> Taint:
    return Taint.model_validate({"key": key, "value": value, "effect": effect})


def toleration(**fields: Any) -> Toleration:
    return Toleration.model_validate(fields)


@pytest.mark.parametrize(
    ("fields", "covered"),
    [
        pytest.param({"operator": "Exists"}, True, id="everything"),
        pytest.param({"key": "dedicated", "operator": "Exists"}, True, id="key, any value and effect"),
        pytest.param({"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"}, True, id="key and effect"),
        pytest.param({"key": "dedicated", "value": "ai"}, True, id="Equal is the default"),
        pytest.param({"key": "dedicated", "value": "ai", "effect": "NoSchedule"}, True, id="exactly"),
        pytest.param({"key": "dedicated"}, False, id="Equal without a value is an empty value"),
        pytest.param({"key": "dedicated", "value": "web"}, False, id="another value"),
        pytest.param({"key": "other", "operator": "Exists"}, False, id="another key"),
        pytest.param({"key": "dedicated", "value": "ai", "effect": "NoExecute"}, False, id="another effect"),
        pytest.param(
            {"key": "dedicated", "value": "ai", "effect": "NoExecute", "tolerationSeconds": 60}, False, id="for a while"
        ),
    ],
)
def test_a_toleration_covers_what_the_scheduler_lets_it(fields: dict[str, Any], *, covered: bool) -> None:
    """k8s.io/component-helpers/scheduling/corev1: ToleratesTaint."""
    assert toleration(**fields).covers(taint()) is covered


@pytest.mark.parametrize(("value", "effect"), list(product(["", "ai"], EFFECTS)))
def test_the_toleration_for_a_taint_covers_it(value: str, effect: str) -> None:
    one = taint(value=value, effect=effect)
    assert one.toleration().covers(one)


@pytest.mark.parametrize("effect", EFFECTS)
def test_the_toleration_for_a_taint_covers_no_other_effect(effect: str) -> None:
    made = taint(effect=effect).toleration()
    assert [other for other in EFFECTS if made.covers(taint(effect=other))] == [effect]


def test_a_toleration_for_no_execute_covers_for_good_without_seconds() -> None:
    assert toleration(key="dedicated", value="ai", effect="NoExecute").covers(taint(effect="NoExecute"))


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        pytest.param(Toleration, {"key": "a", "operator": "Exists", "value": "b"}, id="Exists with a value"),
        pytest.param(Toleration, {"effect": "NoSchedule"}, id="no key and Equal"),
        pytest.param(Toleration, {"key": "a", "effect": "NoSchedule", "tolerationSeconds": 1}, id="seconds"),
        pytest.param(
            EnvVar, {"name": "A", "value": "b", "valueFrom": {"fieldRef": {"fieldPath": "x"}}}, id="two sources"
        ),
        pytest.param(EnvVar, {"name": "A", "valueFrom": {}}, id="no source"),
        pytest.param(UpdateStrategy, {"maxUnavailable": "101%"}, id="more than all"),
        pytest.param(UpdateStrategy, {"maxUnavailable": -1}, id="fewer than none"),
        pytest.param(UpdateStrategy, {"maxUnavailable": True}, id="a boolean"),
    ],
)
def test_what_the_api_server_refuses_is_refused(model: type[Model], fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        model.model_validate(fields)


@pytest.mark.parametrize("value", [0, 1, "0%", "10%", "100%"], ids=str)
def test_a_number_or_a_percentage_may_be_unavailable(value: int | str) -> None:
    assert UpdateStrategy.model_validate({"maxUnavailable": value}).max_unavailable == value


def test_inputs_cannot_be_changed_once_read() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        taint().value = "other"  # type: ignore[misc]
