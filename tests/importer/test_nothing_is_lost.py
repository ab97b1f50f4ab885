"""Every value that somebody set is in the report, whatever it is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.importer import Report, import_files
from compiler.importer.report import leaves
from compiler.lint.charts import NAMES, chart
from compiler.lint.files import SourceFile
from compiler.starter.choices import Choices
from tests.importer.support import TALOS, imported

_OF_KIND: dict[str, list[Any]] = {
    "text": ["", "x", "nvidia", "10s", "v0.20.0"],
    "boolean": [True, False],
    "number": [0, 1, 9400],
    "list": [[], ["a"], [{"name": "A", "value": "b"}], [{"key": "k", "operator": "Exists"}]],
    "mapping": [{}, {"a": "b"}, {"limits": {"cpu": "1"}}, {"default": "version: v1\n", "other": "sharing: 1"}],
    "any": [1, "1m", None],
}


def nested(path: str, value: Any) -> dict[str, Any]:
    for part in reversed(path.split(".")):
        value = {part: value}
    return dict(value)


def all_keys() -> list[tuple[str, str, str]]:
    found = [(name, path, key.kind) for name in NAMES for path, key in chart(name).keys.items()]
    found += [(name, path, "any") for name in NAMES for path in (*chart(name).meant, *chart(name).closed)]
    found += [(name, path, "any") for name in NAMES for path in chart(name).ignored]
    return found + [("nvidia-device-plugin", f"nfd.{path}", key.kind) for path, key in chart(NAMES[1]).keys.items()]


def lost(report: Report, data: Any) -> list[str]:
    """Return the values that no entry speaks of; a configuration is a text, and spoken of value by value."""
    told = [entry.route for entry in report.entries if entry.route]
    return [
        str(route)
        for route, _ in leaves(data)
        if not any(route[: len(one)] == one or one[: len(route)] == route for one in told)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_key_of_a_chart_is_in_the_report_with_every_kind_of_value(name: str) -> None:
    silent = []
    for owner, path, kind in all_keys():
        if owner != name:
            continue
        for value in [*_OF_KIND[kind], 7, {"y": {"z": 1}}]:
            data = nested(path, value)
            report = imported(name, json.dumps(data))
            silent += [f"{path}: {value!r}: {one}" for one in lost(report, data)]
            silent += [
                f"{path}: {value!r} says nothing" for entry in report.entries if not (entry.why or entry.targets)
            ]
    assert silent == []


_NAME = st.sampled_from(["a", "config", "map", "default", "tolerations", "x-y", "global", "sharing", "resources", "0"])
_ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAME, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def values(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    name = draw(st.sampled_from(NAMES))
    data: dict[str, Any] = draw(st.dictionaries(_NAME, _ANY, max_size=2))
    for path in draw(st.lists(st.sampled_from(sorted(chart(name).keys)), max_size=4)):
        level = data
        *above, last = path.split(".")
        for part in above:
            inner = level.get(part)
            level[part] = level = inner if isinstance(inner, dict) else {}
        level[last] = draw(_ANY | st.sampled_from(_OF_KIND[chart(name).keys[path].kind]))
    return name, data


@settings(max_examples=60, deadline=None)
@given(values())
def test_no_value_of_any_shape_is_lost_and_none_breaks_the_import(made: tuple[str, dict[str, Any]]) -> None:
    name, data = made
    report = import_files([SourceFile("values.yaml", json.dumps(data), named=True)], TALOS, name)
    assert lost(report, data) == []


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet="{}[]:,-&*!|>'\"ab \n#%@", max_size=60))
def test_a_configuration_of_any_text_is_in_the_report(text: str) -> None:
    data = {"runtimeClassName": "nvidia", "config": {"map": {"default": text}}}
    report = imported("nvidia-device-plugin", json.dumps(data), Choices())
    assert [entry for entry in report.entries if entry.route[:2] == ("config", "map") or "configuration" in entry.label]
