"""What is written is read as the same data by every reader, and looks like what kubectl prints."""

from __future__ import annotations

import io
import time
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from compiler.load import load_text
from compiler.yaml.emit import emit
from compiler.yaml.readback import load_all

LAYOUT: dict[str, tuple[Any, str]] = {
    "order-of-keys": ({"b": 1, "a": 2}, "b: 1\na: 2\n"),
    "nested": ({"a": {"b": {"c": 1}}}, "a:\n  b:\n    c: 1\n"),
    "list-at-the-column-of-its-key": ({"a": ["x", "z"]}, "a:\n- x\n- z\n"),
    "list-of-mappings": ({"a": [{"name": "x", "v": 1}, {"name": "z"}]}, "a:\n- name: x\n  v: 1\n- name: z\n"),
    "list-in-an-item": ({"a": [{"b": ["x"], "c": 1}]}, "a:\n- b:\n  - x\n  c: 1\n"),
    "mapping-in-an-item": ({"a": [{"b": {"c": 1}}]}, "a:\n- b:\n    c: 1\n"),
    "list-in-a-list": ([["a", "b"], [["c"]]], "- - a\n  - b\n- - - c\n"),
    "nothing-in-it": ({"a": [], "b": {}, "c": [[], {}]}, "a: []\nb: {}\nc:\n- []\n- {}\n"),
    "empty-mapping": ({}, "{}\n"),
    "empty-list": ([], "[]\n"),
    "constants": ({"a": None, "b": True, "c": False}, "a: null\nb: true\nc: false\n"),
    "numbers": ([1, -2, 1.5, 5.0, 1e16, 1.5e-07, -0.0], "- 1\n- -2\n- 1.5\n- 5.0\n- 1.0e+16\n- 1.5e-07\n- -0.0\n"),
    "several-lines": ({"a": "x\n  y\n"}, "a: |\n  x\n    y\n"),
    "several-lines-without-an-end": ({"a": "x\ny"}, "a: |-\n  x\n  y\n"),
    "several-lines-with-many-ends": ({"a": "x\n\n\n", "b": 1}, "a: |+\n  x\n\n\nb: 1\n"),
    "several-lines-that-begin-with-a-space": ({"a": " x\ny\n"}, "a: |2\n   x\n  y\n"),
    "several-lines-that-begin-with-a-tab": ({"a": "\tx\ny\n"}, "a: |2\n  \tx\n  y\n"),
    "several-lines-that-begin-with-an-empty-one": ({"a": "\nx\n"}, "a: |2\n\n  x\n"),
    "several-lines-in-an-item": ({"a": [{"b": "x\ny\n"}]}, "a:\n- b: |\n    x\n    y\n"),
    "several-lines-as-an-item": ({"a": ["x\ny\n"]}, "a:\n- |\n  x\n  y\n"),
    "line-of-spaces": ({"a": "x\n  \ny"}, 'a: "x\\n  \\ny"\n'),
    "only-line-ends": ({"a": "\n\n"}, 'a: "\\n\\n"\n'),
    "carriage-return": ({"a": "x\r\ny"}, 'a: "x\\r\\ny"\n'),
    "several-lines-at-the-top": ("x\ny\n", '"x\\ny\\n"\n'),
    "quotes-inside": ({"a": '{"k": "it\'s"}'}, "a: '{\"k\": \"it''s\"}'\n"),
    "key-that-is-a-word": ({"on": 1, "y": 2}, '"on": 1\n"y": 2\n'),
    "key-of-two-lines": ({"a\nb": 1}, '"a\\nb": 1\n'),
}


@pytest.mark.parametrize(("data", "expected"), LAYOUT.values(), ids=LAYOUT)
def test_looks_like_what_kubectl_prints(data: Any, expected: str) -> None:
    assert emit(data) == expected


PLAIN = ["worker4", "v0.20.0", "4.5.3-4.8.2-distroless", "nvcr.io/nvidia/k8s-device-plugin:v0.20.0", "16Gi", "500m"]
PLAIN += ["nvidia.com/gpu", "$(NODE_NAME)", "--config=/etc/x", "-v", "/dev", "dedicated=ai:NoSchedule", "a b c", "_x"]
PLAIN += ['sum(rate(x{a="b"}[5m])) by (c)', "yesterday", "nope", "10s", "<br>"[1:], "a#b", "a:b", "off-by-one"]


@pytest.mark.parametrize("text", PLAIN)
def test_ordinary_strings_have_no_quotes(text: str) -> None:
    assert emit({"a": text}) == f"a: {text}\n"


QUOTED = ["y", "Y", "n", "yes", "Yes", "YES", "no", "on", "On", "off", "true", "TRUE", "false", "null", "Null", "~", ""]
QUOTED += [
    "None",
    "yEs",
    "010",
    "0x1",
    "0o7",
    "0b1",
    "1e3",
    "1E3",
    "1_000",
    "12:30:45",
    "1:30",
    "1.5",
    ".5",
    "1.",
    "+1",
]
QUOTED += [
    "-1",
    ".inf",
    "-.Inf",
    ".NaN",
    "2001-12-14",
    "2001-12-14t21:59:43.10-05:00",
    "2001-12-14 21:59:43 Z",
    "1,000",
]
QUOTED += [
    "=",
    "<<",
    " a",
    "a ",
    "a: b",
    "a #b",
    "a:",
    "# a",
    "- a",
    "-",
    "--",
    "---",
    "...",
    "? a",
    "?",
    ": a",
    ",",
    "[",
]
QUOTED += [
    "]",
    "{",
    "}",
    "#",
    "&a",
    "*a",
    "!a",
    "|",
    ">",
    "'a",
    "%a",
    "@a",
    "`a",
    "192.168.1.224",
    "1.2.3",
    "0",
    "é",
    "😀",
]
QUOTED += ["... x", "--- x"]


@pytest.mark.parametrize("text", QUOTED)
def test_strings_that_some_reader_takes_for_something_else_have_quotes(text: str) -> None:
    assert emit({"a": text}) == f'a: "{text}"\n'


@pytest.mark.parametrize("text", QUOTED)
def test_keys_that_some_reader_takes_for_something_else_have_quotes(text: str) -> None:
    assert emit({text: 1}) == f'"{text}": 1\n'


ESCAPES = [("\x00", "\\x00"), ("\x1b[31m", "\\x1B[31m"), ("\x7f", "\\x7F"), ("\x85", "\\x85"), ("a\tb", "a\\tb")]
ESCAPES += [("\u2028", "\\u2028"), ("\u2029", "\\u2029"), ("\u202e", "\\u202E"), ("\ufeff", "\\uFEFF")]
ESCAPES += [("\xa0", "\\xA0"), ("\uffff", "\\uFFFF"), ("\U000e0001", "\\U000E0001"), ('\x07"\\', '\\x07\\"\\\\')]


@pytest.mark.parametrize(("text", "expected"), ESCAPES, ids=[repr(text) for text, _ in ESCAPES])
def test_what_cannot_be_seen_is_escaped(text: str, expected: str) -> None:
    assert emit({"a": text}) == f'a: "{expected}"\n'


def test_nothing_is_folded() -> None:
    text = "word " * 5000 + "end"
    assert emit({"a": text}) == f"a: {text}\n"


def test_the_same_object_twice_is_written_twice() -> None:
    shared = {"x": [1]}
    assert emit({"a": shared, "b": shared}) == "a:\n  x:\n  - 1\nb:\n  x:\n  - 1\n"


class Strategy(StrEnum):
    NONE = "none"
    TIME_SLICING = "time-slicing"


def test_a_member_of_an_enumeration_is_its_value() -> None:
    assert emit([Strategy.TIME_SLICING, Strategy.NONE]) == '- time-slicing\n- "none"\n'


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"a": float("inf")}, "inf is not a finite number, which JSON does not have"),
        ({"a": float("nan")}, "nan is not a finite number, which JSON does not have"),
        ({"a": 2**63}, "9223372036854775808 does not fit into 64 bits"),
        ({"a": "\ud800"}, r"half a surrogate pair is no character: '\\ud800'"),
        ({"a": "x\n\udfff\n"}, r"half a surrogate pair is no character: 'x\\n\\udfff\\n'"),
        ({"x" * 1001: 1}, "a key of 1001 characters is longer than YAML allows: x"),
    ],
    ids=["infinity", "not-a-number", "65-bits", "surrogate", "surrogate-in-lines", "long-key"],
)
def test_refuses_values_that_no_manifest_can_hold(data: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        emit(data)


@pytest.mark.parametrize("data", [{"a": (1,)}, {"a": {1}}, {1: "a"}, {"a": b"x"}, {None: 1}], ids=repr)
def test_refuses_types_that_are_not_json(data: Any) -> None:
    with pytest.raises(TypeError):
        emit(data)


# Characters and fragments that mean something to one reader or another.
NASTY_PIECES = [*" \n\t\r:#-?,[]{}&*!|>'\"%@`=~<\\/+.0189_xobeETZynaf", "\n\n", "  ", ": ", " #", "- ", "---", "..."]
NASTY_PIECES += [
    "é",
    "\xa0",
    "\x00",
    "\x1b",
    "\x7f",
    "\x85",
    "\u2028",
    "\u2029",
    "\ufeff",
    "\ufffe",
    "😀",
    "\U0010ffff",
]
NASTY_PIECES += ["yes", "null", "<<"]
NASTY = st.lists(st.sampled_from(NASTY_PIECES), max_size=8).map("".join)
SCALARS = (
    NASTY
    | st.text(max_size=6)
    | st.sampled_from(QUOTED + PLAIN)
    | st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NASTY | st.text(max_size=4), inner, max_size=4),
    max_leaves=15,
)


def typed(data: Any) -> Any:
    """Make types part of a comparison: 1, 1.0 and True are not the same value."""
    if isinstance(data, dict):
        return {key: typed(value) for key, value in data.items()}
    if isinstance(data, list):
        return [typed(value) for value in data]
    return type(data).__name__, repr(data)


@given(DATA)
@example({"a": "x\n\ty\n"})
@example([["|2\n", "\n x"], {"k": " \nx"}])
def test_a_yaml_1_1_reader_reads_the_same(data: Any) -> None:
    yaml = pytest.importorskip("yaml")
    assert typed(yaml.safe_load(emit(data))) == typed(data)


@given(DATA)
def test_a_yaml_1_2_reader_reads_the_same(data: Any) -> None:
    reader = YAML(typ="safe", pure=True)
    assert typed(reader.load(emit(data))) == typed(data)


@given(DATA)
def test_ruamel_as_a_yaml_1_1_reader_reads_the_same(data: Any) -> None:
    reader = YAML(typ="safe", pure=True)
    reader.version = (1, 1)
    assert typed(reader.load(emit(data))) == typed(data)


@given(DATA.filter(lambda data: data is not None))
def test_kubernetes_reads_the_same(data: Any) -> None:
    assert typed(load_all(emit(data))) == typed([data])


@given(st.dictionaries(NASTY, DATA, min_size=1, max_size=4))
def test_the_compiler_reads_its_own_writing(data: dict[str, Any]) -> None:
    assert typed(load_text(emit(data), "f").data) == typed(data)


@given(DATA)
def test_writing_what_was_read_gives_the_same_text(data: Any) -> None:
    text = emit(data)
    assert emit((load_all(text) or [None])[0]) == text


@given(DATA)
def test_text_ends_with_one_newline_and_can_be_encoded(data: Any) -> None:
    text = emit(data)
    assert text.endswith("\n")
    assert io.BytesIO(text.encode()).read().decode() == text


def test_sixty_manifests_are_written_in_milliseconds() -> None:
    env = [{"name": f"VARIABLE_{i}", "value": "true"} for i in range(15)]
    container = {"name": "plugin", "image": "nvcr.io/nvidia/k8s-device-plugin:v0.20.0", "env": env}
    manifest = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "spec": {"template": {"spec": {"containers": [container]}}},
    }
    start = time.process_time()
    texts = [emit(manifest) for _ in range(60)]
    assert time.process_time() - start < 0.06
    assert len("".join(texts)) > 45_000
