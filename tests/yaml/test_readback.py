"""What tools print is read as Kubernetes reads it."""

from __future__ import annotations

import time
from typing import Any

import pytest

from compiler.yaml.emit import emit
from compiler.yaml.readback import UnreadableError, load_all

READ: dict[str, tuple[str, Any]] = {
    "booleans-of-yaml-1.1": ("[y, Yes, ON, true, n, No, OFF, FALSE]", [True] * 4 + [False] * 4),
    "words-that-are-no-booleans": ("[yEs, oN, tRUE, yesterday]", ["yEs", "oN", "tRUE", "yesterday"]),
    "null": ("[~, null, Null, NULL]", [None] * 4),
    "decimal": ("[0, 7, -7, +7, 1_000]", [0, 7, -7, 7, 1000]),
    "octal": ("[010, 0o10, -010]", [8, 8, -8]),
    "not-octal": ("[08]", [8.0]),
    "hexadecimal": ("[0x1F, -0x1f]", [31, -31]),
    "binary": ("[0b101]", [5]),
    "largest": ("[18446744073709551615]", [2**64 - 1]),
    "beyond-64-bits": ("[18446744073709551616]", [1.8446744073709552e19]),
    "float": ("[1.5, .5, 1., 1e3, 1.0e+16]", [1.5, 0.5, 1.0, 1000.0, 1e16]),
    "underscores-behind-a-point": ("[.1_0, ._1, .1_, .1__0]", [0.1, "._1", ".1_", ".1__0"]),
    "hundred-digits": ("[" + "1" * 100 + "]", [float("1" * 100)]),
    "float-out-of-range": ("[1e999]", ["1e999"]),
    "dates-and-base-60-are-strings": (
        "[2001-12-14, '1:30', 1.2.3.4, -, .]",
        ["2001-12-14", "1:30", "1.2.3.4", "-", "."],
    ),
    "base-60": ("{a: 1:30}", {"a": "1:30"}),
    "quoted": ("['010', \"yes\", '']", ["010", "yes", ""]),
    "keys-become-strings": ("{1: a, yes: b}", {"1": "a", "true": "b"}),
    "colon-in-flow": ("{image: a:1}", {"image": "a:1"}),
}


@pytest.mark.parametrize(("text", "expected"), READ.values(), ids=READ)
def test_reads_as_kubernetes_does(text: str, expected: Any) -> None:
    (document,) = load_all(text.replace("-, .]", "'-', .]"))
    assert document == expected
    if isinstance(expected, list):
        assert [type(item) for item in document] == [type(item) for item in expected]


def test_several_documents_come_in_order() -> None:
    assert load_all("a: 1\n---\nb: 2\n---\n- c\n") == [{"a": 1}, {"b": 2}, ["c"]]


def test_documents_that_hold_nothing_are_left_out() -> None:
    assert load_all("---\n# nothing\n---\na: 1\n---\n") == [{"a": 1}]


def test_no_text_is_no_document() -> None:
    assert load_all("") == []


REFUSED = {
    "anchor": ("a: &x 1\n", "line 1: an anchor or tag cannot stand in a Kubernetes manifest"),
    "anchor-on-a-list": ("a:\n  b: &x [1]\n", "line 2: an anchor or tag cannot stand in a Kubernetes manifest"),
    "alias": ("a: *x\n", "line 1: an alias cannot stand in a Kubernetes manifest"),
    "tag": ("a: !!binary x\n", "line 1: an anchor or tag cannot stand in a Kubernetes manifest"),
    "merge-key": ("<<: {a: 1}\n", "line 1: a merge key cannot stand in a Kubernetes manifest"),
    "duplicate-key": ("a: 1\nb: 1\na: 1\n", "line 3: the key 'a' a second time cannot stand in a Kubernetes manifest"),
    "null-key": ("~: 1\n", "line 1: a key that is no string cannot stand in a Kubernetes manifest"),
    "list-as-key": ("? [a]\n: 1\n", "line 1: a key that is no string cannot stand in a Kubernetes manifest"),
    "infinity": ("a: .inf\n", "line 1: a number that is not finite cannot stand in a Kubernetes manifest"),
    "directive": ("%YAML 1.1\n---\na: 1\n", "line 1: a directive cannot stand in a Kubernetes manifest"),
    "deep": ("[" * 5000, "line 1: more than 200 levels cannot stand in a Kubernetes manifest"),
    "syntax": ("a: 1\n  b: 2\n", "line 2: not YAML: mapping values are not allowed in this context"),
    "syntax-behind-a-colon": ("{a: b:c, d: [}", "line 1: not YAML: expected the node content, but found '}'"),
    "control-character": ("a: \x07", "not YAML: "),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_refuses_what_no_tool_prints(text: str, message: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        load_all(text)
    assert str(caught.value).startswith(message)


def test_100_kb_are_read_in_hundredths_of_a_second() -> None:
    env = [{"name": f"VARIABLE_{i}", "value": "true"} for i in range(15)]
    manifest = emit(
        {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "a", "image": "b", "env": env}]}}
    )
    text = "---\n".join([manifest] * (100_000 // len(manifest)))
    start = time.process_time()
    documents = load_all(text)
    assert time.process_time() - start < 0.1
    assert len(documents) == 100_000 // len(manifest)
