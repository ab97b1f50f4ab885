"""JSON Schemas of the inputs, so that editors complete and explain them."""

from __future__ import annotations

import json
from typing import Any

from compiler.model.base import Model
from compiler.model.overlay import Overlay
from compiler.model.stack import GPUStack

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
PATHS: dict[str, type[Model]] = {"base/gpustack.schema.json": GPUStack, "overlays/overlay.schema.json": Overlay}
"""Where each schema lies in a repository, beside the inputs that name it."""


def schemas() -> dict[str, str]:
    """Return the text of each schema by its path relative to the root."""
    made = {path: _closed(model.model_json_schema(by_alias=True)) for path, model in PATHS.items()}
    overlay = made["overlays/overlay.schema.json"]
    overlay["properties"]["overrides"] = _overrides(made["base/gpustack.schema.json"], overlay)
    return {path: _text(schema) for path, schema in made.items()}


def _text(schema: dict[str, Any]) -> str:
    return json.dumps({"$schema": _DIALECT, **schema}, indent=2, ensure_ascii=False) + "\n"


def _closed(schema: Any) -> Any:
    """Return the schema with mappings of names refusing every key that does not fit the pattern of names."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: _closed(value) for key, value in schema.items()}
    return {**result, "additionalProperties": False} if "patternProperties" in result else result


def _overrides(stack: dict[str, Any], overlay: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of `overrides`, and put what it refers to into the overlay's definitions.

    A merge patch has the stack's shape, but nothing in it is required and null removes a field.
    """
    partial = {f"Partial{name}": _relaxed(definition) for name, definition in stack["$defs"].items()}
    overlay["$defs"] = dict(sorted({**overlay["$defs"], **partial}.items()))
    wanted = {key: value for key, value in stack["properties"].items() if key not in {"apiVersion", "kind"}}
    properties = _removable(_relaxed(wanted))
    about = overlay["properties"]["overrides"]["description"]
    return {
        "type": "object",
        "additionalProperties": False,
        "description": about,
        "default": {},
        "properties": properties,
    }


def _relaxed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_relaxed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result = {
        key: _relaxed(value) for key, value in schema.items() if key not in {"required", "default", "discriminator"}
    }
    if isinstance(result.get("properties"), dict):
        result["properties"] = _removable(result["properties"])
    if "$ref" in result:
        result["$ref"] = result["$ref"].replace("#/$defs/", "#/$defs/Partial")
    return result


def _removable(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a mapping, each of which null may take away; its description stays where editors look."""
    result = {}
    for key, schema in properties.items():
        about = {name: schema[name] for name in ("description",) if name in schema}
        rest = {name: value for name, value in schema.items() if name not in about}
        result[key] = {"anyOf": [rest, {"type": "null"}], **about}
    return result
