"""Broken and hostile files end in findings or silence, never in a traceback, and within a time that nobody notices."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compiler.cli.lintscreen import nothing, screen
from compiler.diagnostics import Diagnostic, Severity
from compiler.lint.building import MAX_DEPTH
from compiler.lint.charts import NAMES
from compiler.lint.files import Found, SourceFile
from compiler.lint.judge import Known, judge
from compiler.lint.reading import read_text
from compiler.lint.sight import look
from compiler.yaml.emit import emit
from tests.inputs.project import gpuc
from tests.lint.cases import CASES

TEXTS = [case.path.read_text(encoding="utf-8") for case in CASES]
ODD = [
    *("null", "[]", "{}", "[1, 2]", "5", "x", "{a: {b: c}}", "- a", '"', "&a [*a]", "!!x y", ".inf", "[[[]]]"),
    *("true", "2024-01-01", "|\n   foo", "*nothing", "<<: 3", "? [a]", "{{ .Values.x }}", "\t", "\u202e", "\x01"),
]
SECONDS = 5.0


def linted(text: str, chart: str | None = None, talos: tuple[int, int] | None = None) -> list[Diagnostic]:
    """Lint a text as a file of its own, print what was found, and return it."""
    sight = look(Found([SourceFile("file.yaml", text, named=True)]), chart, talos)
    judgement = judge(sight, Known(talos=talos))
    assert screen(sight, judgement)
    assert nothing(sight)
    return judgement.diagnostics


@st.composite
def broken(draw: st.DrawFn) -> str:
    """An input in which a few lines were lost, repeated, cut, or given other values."""
    lines = draw(st.sampled_from(TEXTS)).split("\n")
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        match draw(st.sampled_from(["lose", "repeat", "cut", "value"])):
            case "lose" if len(lines) > 1:
                lines.pop(at)
            case "repeat":
                lines.insert(at, draw(st.sampled_from(lines)))
            case "cut":
                lines[at] = lines[at][: draw(st.integers(0, len(lines[at])))]
            case _:
                lines[at] = f"{lines[at].split(':')[0]}: {draw(st.sampled_from(ODD))}"
    return "\n".join(lines)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=broken(), chart=st.sampled_from([None, *NAMES]), talos=st.sampled_from([None, (1, 12), (1, 14)]))
def test_a_broken_file_never_ends_in_a_traceback(text: str, chart: str | None, talos: tuple[int, int] | None) -> None:
    for found in linted(text, chart, talos):
        assert found.place is None or (found.place.line >= 1 and found.place.column >= 1)


SCALARS: st.SearchStrategy[Any] = st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab-/{}$:", max_size=4)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=5,
)
SHAPES = {
    "DaemonSet": ("apps/v1", ["nodeSelector", "affinity", "tolerations", "containers", "volumes", "runtimeClassName"]),
    "HelmRelease": ("helm.toolkit.fluxcd.io/v2", ["chart", "values", "valuesFrom", "targetNamespace", "chartRef"]),
    "Application": ("argoproj.io/v1alpha1", ["source", "sources", "destination"]),
    "HelmChart": ("helm.cattle.io/v1", ["chart", "valuesContent", "set"]),
    "ServiceMonitor": ("monitoring.coreos.com/v1", ["selector", "endpoints", "namespaceSelector"]),
    "NodeFeatureRule": ("nfd.k8s-sigs.io/v1alpha1", ["rules"]),
    "Kustomization": ("kustomize.toolkit.fluxcd.io/v1", ["dependsOn", "healthChecks", "postBuild", "patches", "path"]),
}


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(kind=st.sampled_from(list(SHAPES)), data=st.data())
def test_an_object_of_any_shape_never_ends_in_a_traceback(kind: str, data: st.DataObject) -> None:
    api, keys = SHAPES[kind]
    body: Any = {key: data.draw(VALUES, label=key) for key in keys}
    spec = {"template": {"metadata": {"labels": data.draw(VALUES)}, "spec": body}} if kind == "DaemonSet" else body
    obj = {"apiVersion": api, "kind": kind, "metadata": {"name": "nvidia", "labels": data.draw(VALUES)}, "spec": spec}
    linted(emit(obj))


@settings(max_examples=75, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(chart=st.sampled_from(NAMES), data=st.data())
def test_values_of_any_shape_never_end_in_a_traceback(chart: str, data: st.DataObject) -> None:
    keys = [
        "affinity",
        "config",
        "gfd",
        "nfd",
        "worker",
        "extraEnv",
        "serviceMonitor",
        "tolerations",
        "image",
        "resources",
    ]
    linted(emit({key: data.draw(VALUES, label=key) for key in keys}), chart)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"kind: a{chr(10)}b: {'[' * (MAX_DEPTH + 5)}{']' * (MAX_DEPTH + 5)}\n", "levels deep"),
        (
            "a: &a [x,x,x,x,x,x,x,x,x]\n"
            + "".join(f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)),
            "aliases expand to",
        ),
        ("a: &a\n  b: *a\n", "alias of nothing"),
        ("a: *b\n", "alias of nothing"),
        ("{a: 1}: 2\n", "where a key is expected"),
        ("kind: [\n", "missing"),
    ],
    ids=["deep", "aliases", "loop", "dangling", "mapping-key", "open"],
)
def test_what_exhausts_or_confuses_a_reader_is_refused_with_its_line(text: str, says: str) -> None:
    began = time.monotonic()
    (found,) = linted(text)
    assert time.monotonic() - began < SECONDS
    assert found.place is not None
    assert says in found.message


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "x" * 2_000_000 + "\n",
        "- [" + "[]," * 400_000 + "]\n",
        "---\n" * 200_000,
        "".join(f"---\napiVersion: v1\nkind: Pod\nmetadata: {{name: nvidia-{n}}}\n" for n in range(5_000)),
        "a: '" + "\n\n" * 300_000 + "'\n",
        "{" * 100_000,
        "nvidia: " + "&a" * 100_000 + "\n",
    ],
    ids=["line", "lists", "documents", "pods", "quoted", "braces", "anchors"],
)
def test_a_large_file_is_read_in_bounded_time(text: str) -> None:
    began = time.monotonic()
    linted(text)
    assert time.monotonic() - began < 4 * SECONDS


def test_a_broken_document_does_not_take_the_others_with_it() -> None:
    read = read_text("a: 1\n---\nb: [\n---\nc: 3\n", "x.yaml")
    assert [document.data for document in read.documents] == [{"a": 1}, {"c": 3}]
    assert [str(found.place) for found in read.problems] == ["x.yaml:3:5"]


def test_a_broken_file_that_a_folder_holds_is_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gpu.yaml").write_text("nvidia: [\n", encoding="utf-8")
    assert gpuc(capsys, "lint", ".").code == 0
    assert gpuc(capsys, "lint", "gpu.yaml").code == 1


def test_control_characters_of_an_input_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "values.yaml"
    path.write_text('"\\e[2Jflags": 1\n"a\\u202eb": 2\n', encoding="utf-8")
    result = gpuc(capsys, "lint", path, "--chart", "dcgm-exporter")
    assert result.code == 1
    assert not {"\x1b", "\u202e"} & set(result.stdout + result.stderr)


def test_a_warning_is_what_a_repeated_key_gives() -> None:
    (found,) = linted("kind: a\nnvidia: 1\nnvidia: 2\n")
    assert (found.rule, found.severity, str(found.place)) == ("GPU018", Severity.WARNING, "file.yaml:3:1")
