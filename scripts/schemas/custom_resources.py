"""JSON Schemas of custom resources, derived from the committed definitions in compiler/schemas/crds/."""

from __future__ import annotations

from pathlib import Path

from ruamel.yaml import YAML

from scripts.schemas.shape import DRAFT, Schema, close, dump, lean

_STRINGS: Schema = {"type": "object", "additionalProperties": {"type": "string"}}

# A definition says only that metadata is an object. These are the fields that belong into a manifest.
_METADATA: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name"],
    "properties": {
        "annotations": _STRINGS,
        "finalizers": {"type": "array", "items": {"type": "string"}},
        "labels": _STRINGS,
        "name": {"type": "string", "minLength": 1},
        "namespace": {"type": "string", "minLength": 1},
    },
}


def generate(crds: Path) -> dict[str, str]:
    """Return path (below compiler/schemas/) -> text of one schema for every version that the definitions serve."""
    files: dict[str, str] = {}
    for path in sorted(crds.glob("*.yaml")):
        crd = YAML(typ="safe").load(path.read_text("utf-8"))
        spec = crd["spec"]
        for version in spec["versions"]:
            if version["served"]:
                name = f"custom-resources/{spec['group']}/{spec['names']['kind'].lower()}_{version['name']}.json"
                files[name] = dump(_schema(spec["group"], spec["names"]["kind"], version))
    return files


def _schema(group: str, kind: str, version: Schema) -> Schema:
    schema: Schema = lean(close(version["schema"]["openAPIV3Schema"]))
    properties = dict(schema["properties"])
    properties.pop("status", None)
    properties["apiVersion"] = {"type": "string", "enum": [f"{group}/{version['name']}"]}
    properties["kind"] = {"type": "string", "enum": [kind]}
    properties["metadata"] = _METADATA
    required = sorted({*schema.get("required", ()), "apiVersion", "kind", "metadata"} - {"status"})
    return {**schema, "$schema": DRAFT, "properties": properties, "required": required}
