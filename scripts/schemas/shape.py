"""What every schema that gpuc ships has in common: closed, without prose, small, and written one way."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]

DRAFT = "http://json-schema.org/draft-04/schema#"  # the draft that kubeconform 0.8.0 takes where a schema names none

# What the API server fills in. In a manifest these are left over from a `kubectl get`, and some block the apply.
SET_BY_SERVER = (
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
)

_DROPPED = ("$id", "$schema", "default", "description", "nullable", "title")
_CHECKED_FORMATS = ("date-time", "duration", "hostname", "ipv4", "ipv6", "uri")
_MAPS_OF_SCHEMAS = ("$defs", "definitions", "patternProperties", "properties")
_LISTS_OF_SCHEMAS = ("allOf", "anyOf", "oneOf")


def lean(schema: Any) -> Any:
    """Return a schema without prose, defaults, extensions, formats that nobody checks, and null as a type.

    Null is left out on purpose: the API server drops a field that is null, so git and cluster would differ for ever.
    """
    if not isinstance(schema, dict):
        return schema
    kept: Schema = {}
    for key, value in schema.items():
        if key in _DROPPED or key.startswith("x-") or (key == "format" and value not in _CHECKED_FORMATS):
            continue
        if key in _MAPS_OF_SCHEMAS:
            kept[key] = {name: lean(sub) for name, sub in value.items()}
        elif key in _LISTS_OF_SCHEMAS:
            kept[key] = [lean(sub) for sub in value]
        elif key == "type" and isinstance(value, list):
            types = [name for name in value if name != "null"]
            kept[key] = types[0] if len(types) == 1 else types
        elif key in ("additionalProperties", "items", "not"):
            kept[key] = lean(value)
        else:
            kept[key] = value
    return _without_choice_of_types(kept)


def _without_choice_of_types(schema: Schema) -> Schema:
    """Write a choice between bare types as one list of types: kubeconform then says "want string or number"."""
    for key in ("anyOf", "oneOf"):
        choices = schema.get(key)
        if choices and all(set(choice) == {"type"} and isinstance(choice["type"], str) for choice in choices):
            rest = {name: value for name, value in schema.items() if name != key}
            return {**rest, "type": [choice["type"] for choice in choices]}
    return schema


def close(schema: Any) -> Any:
    """Return a structural schema (of a CRD) in which every object refuses unknown fields, as strict validation does.

    Parts under allOf, anyOf, oneOf and not stay open: there a structural schema only narrows what stands beside them.
    """
    if not isinstance(schema, dict):
        return schema
    closed = dict(schema)
    if "properties" in closed:
        closed["properties"] = {name: close(sub) for name, sub in closed["properties"].items()}
    for key in ("additionalProperties", "items"):
        if key in closed:
            closed[key] = close(closed[key])
    if closed.get("x-kubernetes-int-or-string"):
        closed.pop("anyOf", None)
        closed["type"] = ["integer", "string"]
    opened = closed.get("x-kubernetes-preserve-unknown-fields") or "additionalProperties" in closed
    if closed.get("type") == "object" and not opened:
        closed["additionalProperties"] = False
    return closed


def references(schema: Any) -> Iterator[str]:
    """Yield every `$ref` in a schema."""
    if isinstance(schema, list):
        for item in schema:
            yield from references(item)
    elif isinstance(schema, dict):
        for key, value in schema.items():
            if key == "$ref" and isinstance(value, str):
                yield value
            else:
                yield from references(value)


def dump(schema: Schema) -> str:
    """Return a schema as one line of JSON with sorted keys and a newline at its end."""
    return json.dumps(schema, sort_keys=True, separators=(",", ":")) + "\n"
