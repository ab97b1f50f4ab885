"""What lint knows of the charts is what their values and templates say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compiler.check.chartvalues import Chart, merged
from compiler.lint.charts import NAMES, chart

KEYS = Path(__file__).parents[2] / "../shared/oracle/chart-values-keys.json"
KINDS = {"string": "text", "mapping": "mapping", "list": "list", "boolean": "boolean", "number": "number"}


def wanted(known: Chart, path: str) -> str | None:
    """Return the kind that a chart wants at a path; of a mapping that takes any key, that of the mapping."""
    parts = path.split(".")
    alias, *rest = parts
    if alias in known.subcharts and path not in known.keys:
        return wanted(known.subcharts[alias], ".".join(rest))
    for count in range(len(parts), 0, -1):
        key = known.keys.get(".".join(parts[:count]))
        if key is not None:
            return key.kind if count == len(parts) or key.kind == "mapping" else None
    return None


@pytest.mark.skipif(not KEYS.exists(), reason="the charts' own values are not part of the repository")
@pytest.mark.parametrize("name", NAMES)
def test_every_key_of_the_charts_values_is_known_with_its_type(name: str) -> None:
    found: dict[str, Any] = json.loads(KEYS.read_text(encoding="utf-8"))["keys"][name]
    unknown = [path for path in found if wanted(chart(name), path) is None]
    assert unknown == []
    # `any` is a key that templates take in several types; a mapping takes what is below it as it is.
    differing = {
        path: (wanted(chart(name), path), item["type"])
        for path, item in found.items()
        if wanted(chart(name), path) not in {KINDS.get(item["type"]), "any", "mapping"} and item["type"] != "null"
    }
    assert differing == {}


@pytest.mark.parametrize("name", NAMES)
def test_the_cure_of_a_wrong_key_is_a_key_that_the_chart_reads(name: str) -> None:
    known = chart(name)
    wrong = {path: cure for path, cure in {**known.meant, **known.ignored}.items() if cure != "nfd"}
    unread = [
        cure
        for cure in wrong.values()
        if wanted(known, cure) is None and not any(path.startswith(f"{cure}.") for path in known.keys)
    ]
    assert unread == []
    assert [path for path in known.meant if path in known.keys] == []


@pytest.mark.parametrize("name", NAMES)
def test_defaults_stand_at_keys_that_the_chart_has(name: str) -> None:
    def paths(value: Any, above: str) -> list[str]:
        if isinstance(value, dict) and value and wanted(chart(name), above) != "mapping":
            return [path for key, inner in value.items() for path in paths(inner, f"{above}.{key}" if above else key)]
        return [above]

    assert [path for path in paths(chart(name).defaults, "") if wanted(chart(name), path) is None] == []


def test_values_are_laid_over_defaults_as_helm_does_it() -> None:
    defaults = {"a": {"b": 1, "c": 2}, "l": [1], "x": {"y": 1}}
    assert merged(defaults, {"a": {"b": 3}, "l": [2], "x": {}}) == {"a": {"b": 3, "c": 2}, "l": [2], "x": {"y": 1}}
    assert merged(defaults, {"a": None, "l": None}) == {"x": {"y": 1}}
