"""Kubernetes' full definitions as schemas for kubeconform: what people use who do not cut them down."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any

from compiler.objects import Obj
from scripts.bench.clock import Command

_SOURCE = "kubernetes-json-schema"


def write_full_schemas(folder: Path, version: str, objects: Iterable[Obj], *, dialect: bool) -> None:
    """Write what the objects need of the definitions of a Kubernetes version (such as 1.34), whole.

    They come from the kubernetes-validate package. There a reference names a path on a web server, which kubeconform
    cannot follow; here it names the file beside. Prose is left out, as everybody does who cares about time. `dialect`
    says whether the schemas keep naming their dialect (`$schema`), as all published ones do: kubeconform 0.8.0 then
    checks them against that dialect's own schema, which takes far longer than checking the objects.
    """
    source = resources.files("kubernetes_validate") / _SOURCE / f"v{version}.0-local-strict"
    dropped = ("$id", "description") if dialect else ("$id", "$schema", "description")
    folder.mkdir(parents=True)
    for name in sorted({"_definitions.json", *map(_file_name, objects)}):
        entry = source / name
        if entry.is_file():  # Kubernetes has no definitions of custom resources
            (folder / name).write_text(json.dumps(_local(json.loads(entry.read_text("utf-8")), dropped)), "utf-8")


def _file_name(obj: Obj) -> str:
    """Return the name that kubeconform's `ResourceKind` and `KindSuffix` make."""
    group, _, version = obj["apiVersion"].rpartition("/")
    return "-".join(part for part in (obj["kind"].lower(), group.partition(".")[0], version) if part) + ".json"


def _local(schema: Any, dropped: tuple[str, ...]) -> Any:
    """Return a schema without some keywords, its references naming files beside it."""
    if isinstance(schema, list):
        return [_local(item, dropped) for item in schema]
    if not isinstance(schema, dict):
        return schema
    # A field may have a keyword's name, but its schema is no text.
    kept = {
        key: _local(value, dropped) for key, value in schema.items() if not (key in dropped and isinstance(value, str))
    }
    if isinstance(kept.get("$ref"), str):
        kept["$ref"] = kept["$ref"].removeprefix("/api/")
    return kept


def check_fully(kubeconform: Path, folder: Path, schemas: Path, custom: Path, objects: bytes) -> Command:
    """Return the command that checks a stream of objects with the full definitions, as people run it.

    `schemas` is what `write_full_schemas` wrote, `custom` the schemas of custom resources that gpuc ships.
    """
    locations = (
        f"{schemas}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json",
        f"{custom}/{{{{.Group}}}}/{{{{.ResourceKind}}}}_{{{{.ResourceAPIVersion}}}}.json",
    )
    flags = ("-strict", "-summary", *(part for location in locations for part in ("-schema-location", location)), "-")
    return Command((str(kubeconform), *flags), folder, stdin=objects)
