"""Editors are told what gpuc would say: every field is explained, right inputs pass, wrong ones are underlined."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from compiler.inputschema import PATHS, schemas
from tests.inputs.cases_keys import CHART_VALUES, UNKNOWN_KEYS
from tests.inputs.cases_overlay import OVERLAY_VALUES
from tests.inputs.cases_overrides import OVERRIDES, PATCHES
from tests.inputs.cases_stack import STACK_VALUES
from tests.inputs.project import OVERLAY, STACK, TEXTS, Broken

ROOT = Path(__file__).parents[2]
SCHEMAS = {path: json.loads(text) for path, text in schemas().items()}
BY_INPUT = dict(zip((STACK, OVERLAY), SCHEMAS.values(), strict=True))
# What a schema cannot say: rules between fields, what merging makes, amounts, and durations of nothing.
BEYOND_A_SCHEMA = {
    "memory-number",
    "memory-without-unit",
    "vram-milli",
    "toleration-exists-with-value",
    "toleration-without-key",
    "toleration-seconds",
    "timeout-above-interval",
    "value-from-two",
    "value-and-value-from",
    "repository-with-tag",
    "resources-huge",
    "replicas-null",
    "replicas-missing",
    "replicas-and-resources",
    "mig-profiles-with-none",
    "nodes-and-selector",
    "neither-nodes-nor-selector",
    "control-character-in-text",
    "replicas-integral-float",
    "override-timeout-above-interval",
    "override-leaves-other-fields",
    "override-removes-required",
    "patch-missing-file",
    "patch-out-of-the-folder",
    "patch-target-bad-pattern",
    "patch-target-costly-pattern",
}


def load(text: str | bytes) -> Any:
    return YAML(typ="safe", pure=True).load(text)


def errors(path: str, text: str | bytes) -> list[str]:
    return [error.message for error in Draft202012Validator(BY_INPUT[path]).iter_errors(load(text))]


def subschemas(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from subschemas(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from subschemas(value)


def described(path: str, field: dict[str, Any]) -> str:
    """Return a field's description; Pydantic leaves it to the definition where that says the same."""
    (first, *_) = field.get("anyOf", [field])
    inner = first.get("$ref", "").removeprefix("#/$defs/")
    text: str = field.get("description") or SCHEMAS[path]["$defs"].get(inner, {}).get("description", "")
    return text


@pytest.mark.parametrize("path", PATHS)
def test_a_schema_is_one(path: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[path])


@pytest.mark.parametrize("path", PATHS)
def test_the_committed_schema_is_fresh(path: str) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == schemas()[path]


@pytest.mark.parametrize("path", PATHS)
def test_every_field_has_a_description_that_is_a_sentence(path: str) -> None:
    fields = [
        (name, described(path, field))
        for schema in subschemas(SCHEMAS[path])
        if isinstance(schema.get("properties"), dict)
        for name, field in schema["properties"].items()
    ]
    assert len(fields) > 30
    assert [name for name, text in fields if not re.fullmatch(r"[\S\s]{4,}[.:)]|.*\.\.\.", text)] == []


@pytest.mark.parametrize("path", PATHS)
def test_every_mapping_of_fields_is_closed(path: str) -> None:
    open_ones = [
        schema
        for schema in subschemas(SCHEMAS[path])
        if isinstance(schema.get("properties"), dict) and schema.get("additionalProperties") is not False
    ]
    assert open_ones == []


@pytest.mark.parametrize("path", PATHS)
def test_every_pattern_is_anchored_and_fits_its_examples(path: str) -> None:
    patterns = [schema for schema in subschemas(SCHEMAS[path]) if isinstance(schema.get("pattern"), str)]
    assert patterns
    for schema in patterns:
        assert (schema["pattern"][0], schema["pattern"][-1]) == ("^", "$")
        assert [
            e for e in schema.get("examples", []) if isinstance(e, str) and not re.search(schema["pattern"], e)
        ] == []


@pytest.mark.parametrize("path", [STACK, OVERLAY])
def test_a_shipped_input_passes_and_names_its_schema(path: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert errors(path, text) == []
    named = re.match(r"# yaml-language-server: \$schema=(\S+)\n", text)
    assert named
    assert ((ROOT / path).parent / named[1]).resolve().relative_to(ROOT).as_posix() in PATHS


@pytest.mark.parametrize("path", TEXTS)
def test_the_tests_own_input_passes(path: str) -> None:
    assert errors(path, TEXTS[path]) == []


@pytest.mark.parametrize(
    "case",
    [*UNKNOWN_KEYS, *CHART_VALUES, *STACK_VALUES, *OVERLAY_VALUES, *OVERRIDES, *PATCHES],
    ids=lambda case: case.id,
)
def test_a_schema_refuses_a_mistake_where_it_can(case: Broken) -> None:
    assert bool(errors(case.path, case.content)) is (case.id not in BEYOND_A_SCHEMA)


@pytest.mark.parametrize("value", ['"16Gi"', "16", '"100m"'], ids=["text", "number", "suffix"])
def test_a_quantity_may_be_text_or_a_whole_number(value: str) -> None:
    assert errors(OVERLAY, TEXTS[OVERLAY].replace("memory: 16Gi", f"memory: {value}")) == []


def test_an_override_may_be_partial_and_remove_fields() -> None:
    text = TEXTS[OVERLAY] + "overrides: {dcgmExporter: {serviceMonitor: null}, devicePlugin: {version: v0.19.3}}\n"
    assert errors(OVERLAY, text) == []
