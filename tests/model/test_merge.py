"""An overlay's overrides are a JSON merge patch: the laws of RFC 7396."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.model.merge import merge

SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=3)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.sampled_from("abcd"), JSON, max_size=4)

# The table of appendix A, in its order.
EXAMPLES: list[tuple[Any, Any, Any]] = [
    ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    ({"a": "b"}, {"a": None}, {}),
    ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
    ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
    ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    (["a", "b"], ["c", "d"], ["c", "d"]),
    ({"a": "b"}, ["c"], ["c"]),
    ({"a": "foo"}, None, None),
    ({"a": "foo"}, "bar", "bar"),
    ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
    ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
    ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
]


@pytest.mark.parametrize(("target", "patch", "result"), EXAMPLES, ids=map(str, range(1, 16)))
def test_the_examples_of_the_rfc_hold(target: Any, patch: Any, result: Any) -> None:
    """RFC 7396, appendix A."""
    assert merge(target, patch) == result


@given(JSON, SCALARS | st.lists(JSON, max_size=3))
def test_what_is_no_object_replaces(target: Any, patch: Any) -> None:
    """RFC 7396, section 1: if the patch is anything other than an object, it replaces the entire target."""
    assert merge(target, patch) == patch


@given(OBJECTS)
def test_an_empty_patch_changes_nothing(target: Any) -> None:
    """RFC 7396, section 2: members that the patch does not name stay as they are."""
    assert merge(target, {}) == target


@given(OBJECTS, st.sampled_from("abcd"))
def test_null_removes(target: Any, key: str) -> None:
    """RFC 7396, section 1: null values in the patch are given special meaning to indicate removal."""
    assert merge(target, {key: None}) == {name: value for name, value in target.items() if name != key}


@given(JSON, OBJECTS)
def test_a_patch_applied_twice_is_applied_once(target: Any, patch: Any) -> None:
    """RFC 7396, section 2: MergePatch only sets and removes members, to values that the patch alone gives."""
    assert merge(merge(target, patch), patch) == merge(target, patch)


@given(JSON, OBJECTS)
def test_a_patch_leaves_no_null_of_its_own(target: Any, patch: Any) -> None:
    """RFC 7396, section 1: a patch cannot set a member to null."""
    merged = merge(target, patch)
    assert [key for key, value in patch.items() if value is None and key in merged] == []


@given(JSON, JSON)
def test_neither_argument_changes(target: Any, patch: Any) -> None:
    before = copy.deepcopy((target, patch))
    merge(target, patch)
    assert (target, patch) == before
