"""Where the JSON Schemas of a kind are, and what they allow."""

from __future__ import annotations

import json
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Final

SCHEMAS: Final = Path(__file__).resolve().parents[1] / "schemas"

# kubeconform fills these in (its `-schema-location`): Group is what stands before the slash of apiVersion, or `v1`.
_NAME: Final = "{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json"
_FOLDERS: Final = ("kubernetes/{{.NormalizedKubernetesVersion}}", "custom-resources", "kustomize")


def kubernetes_versions() -> tuple[str, ...]:
    """Return the Kubernetes versions that manifests can be checked against, such as `1.34`, oldest first."""
    names = [path.name for path in (SCHEMAS / "kubernetes").iterdir() if path.name.startswith("v")]
    minors = sorted(int(name.split(".")[1]) for name in names)
    return tuple(f"1.{minor}" for minor in minors)


def locations(root: Path) -> tuple[str, ...]:
    """Return kubeconform's schema locations below a folder like compiler/schemas/."""
    return tuple(f"{root}/{folder}/{_NAME}" for folder in _FOLDERS)


def schema_path(root: Path, kubernetes: str, api_version: str, kind: str) -> Path | None:
    """Return the file with the schema of a kind, or None where there is none.

    `kubernetes` is a version such as `1.34`.
    """
    group, _, version = api_version.rpartition("/")
    name = f"{group or version}/{kind.lower()}_{version}.json"
    for folder in _FOLDERS:
        path = root / folder.replace("{{.NormalizedKubernetesVersion}}", f"v{kubernetes}.0") / name
        if path.is_file():
            return path
    return None


def suggestion(path: Path, route: Sequence[str], unknown: str) -> str | None:
    """Return the field that is allowed at a route and looks most like an unknown one, or None."""
    found = _walk(path, _read(path), route)
    names = list(found.get("properties", ())) if found else []
    same = [name for name in names if name.lower() == unknown.lower()]
    close = same or get_close_matches(unknown, names, n=1)
    return close[0] if close else None


def _walk(path: Path, schema: dict[str, Any], route: Sequence[str]) -> dict[str, Any] | None:
    """Return the schema of what is at a route, following references, or None where the schema says nothing."""
    path, found = _resolve(path, schema)
    for segment in route:
        below = found.get("items") if segment.isdecimal() and "items" in found else None
        below = below or found.get("properties", {}).get(segment) or found.get("additionalProperties")
        if not isinstance(below, dict):
            return None
        path, found = _resolve(path, below)
    return found


def _resolve(path: Path, schema: dict[str, Any]) -> tuple[Path, dict[str, Any]]:
    while "$ref" in schema:
        file, _, pointer = schema["$ref"].partition("#")
        path = (path.parent / file).resolve() if file else path
        schema = _read(path)
        for segment in pointer.split("/")[1:]:
            schema = schema[segment]
    return path, schema


@cache
def _read(path: Path) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return schema
