from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from compiler.objects import Json
from compiler.validate import Toolset, kubernetes_versions
from compiler.validate.schemas import SCHEMAS
from tests.validate.samples import BUILT_IN, CUSTOM, EVERY, check

UPSTREAM = Path(__file__).parents[3] / "shared" / "oracle" / "upstream-objects.json"
FOLDERS = sorted([*(SCHEMAS / "kubernetes").iterdir(), SCHEMAS / "custom-resources", SCHEMAS / "kustomize"])
CRDS = sorted((SCHEMAS / "crds").glob("*.yaml"))


def name(path: Path) -> str:
    return path.relative_to(SCHEMAS).as_posix()


def texts(folder: Path) -> dict[str, str]:
    return {name(path): path.read_text("utf-8") for path in sorted(folder.rglob("*.json"))}


def parts(schema: Json) -> Iterator[dict[str, Any]]:
    """Yield a schema and every schema in it."""
    if not isinstance(schema, dict):
        return
    yield schema
    for key in ("properties", "definitions"):
        for below in schema.get(key, {}).values():
            yield from parts(below)
    for key in ("items", "additionalProperties"):
        yield from parts(schema.get(key))


def crd(path: Path) -> Any:
    return YAML(typ="safe").load(path.read_text("utf-8"))


def without_empty(value: Json) -> Json:
    """Return a value without mappings that are empty: the comparison data has none."""
    if isinstance(value, dict):
        kept = {key: without_empty(below) for key, below in value.items()}
        return {key: below for key, below in kept.items() if below != {}}
    return [without_empty(item) for item in value] if isinstance(value, list) else value


def nulls(value: Json) -> bool:
    if isinstance(value, dict):
        return any(nulls(below) for below in value.values())
    return any(nulls(item) for item in value) if isinstance(value, list) else value is None


def test_kubernetes_1_29_to_1_37_can_be_chosen() -> None:
    assert kubernetes_versions() == ("1.29", "1.30", "1.31", "1.32", "1.33", "1.34", "1.35", "1.36", "1.37")


@pytest.mark.parametrize("version", kubernetes_versions())
def test_a_good_object_of_every_kind_passes(version: str, tools: Toolset, tmp_path: Path) -> None:
    objects = {f"{kind}.yaml": text for kind, text in EVERY.items()}
    assert check(tools.kubeconform, tmp_path, objects, kubernetes=version) == []


def test_every_schema_is_of_a_kind_that_is_tried() -> None:
    kinds = {path.name.partition("_")[0] for folder in FOLDERS for path in folder.rglob("*_v*.json")}
    assert kinds == {kind.lower() for kind in (*BUILT_IN, *CUSTOM, "Component")}


@pytest.mark.parametrize("folder", FOLDERS, ids=name)
def test_every_object_that_lists_its_fields_refuses_others(folder: Path) -> None:
    every = [(path, part) for path, text in texts(folder).items() for part in parts(json.loads(text))]
    listing = [(path, part) for path, part in every if "properties" in part]
    assert len(listing) > 10
    assert [(path, part) for path, part in listing if part.get("additionalProperties") is not False] == []


@pytest.mark.parametrize("folder", FOLDERS, ids=name)
def test_schemas_carry_no_prose_and_no_null(folder: Path) -> None:
    every = [(path, part) for path, text in texts(folder).items() for part in parts(json.loads(text))]
    assert [
        path for path, part in every if isinstance(part.get("description"), str) or "null" in part.get("type", "")
    ] == []


@pytest.mark.parametrize("folder", FOLDERS, ids=name)
def test_schemas_are_one_line_of_sorted_json(folder: Path) -> None:
    ours = texts(folder)
    assert ours == {
        path: json.dumps(json.loads(text), sort_keys=True, separators=(",", ":")) + "\n" for path, text in ours.items()
    }


@pytest.mark.parametrize("folder", FOLDERS, ids=name)
def test_references_lead_into_the_same_folder(folder: Path) -> None:
    targets = {target for text in texts(folder).values() for target in re.findall(r'"\$ref":"([^#"]*)#', text)}
    assert targets <= {"", "../_pod.json"}


def test_the_schemas_of_one_kubernetes_version_are_small() -> None:
    assert sum(len(text) for text in texts(SCHEMAS / "kubernetes" / "v1.34.0").values()) < 150_000


@pytest.mark.parametrize("path", CRDS, ids=name)
def test_definitions_hold_nothing_that_an_api_server_drops(path: Path) -> None:
    found = crd(path)
    assert (nulls(found), found.get("status"), found["metadata"].get("creationTimestamp")) == (False, None, None)


@pytest.mark.parametrize("path", CRDS, ids=name)
def test_definitions_are_named_after_their_file_and_pass_their_own_schema(
    path: Path, tools: Toolset, tmp_path: Path
) -> None:
    found = check(tools.kubeconform, tmp_path, {path.name: path.read_text("utf-8")})
    assert (crd(path)["metadata"]["name"], found) == (path.stem, [])


@pytest.mark.skipif(not UPSTREAM.exists(), reason="the objects of the upstream charts are not beside this checkout")
@pytest.mark.parametrize("plural", ["nodefeatures", "nodefeaturerules", "nodefeaturegroups"])
def test_nfd_definitions_are_those_of_its_chart(plural: str) -> None:
    ours = crd(SCHEMAS / "crds" / f"{plural}.nfd.k8s-sigs.io.yaml")
    upstream = json.loads(UPSTREAM.read_text("utf-8"))
    theirs = next(obj for obj in upstream if obj["metadata"]["name"] == ours["metadata"]["name"])
    generator = "controller-gen.kubebuilder.io/version"  # which release of controller-gen ran; the result is the same
    assert ours["metadata"]["annotations"].pop(generator) != theirs["metadata"]["annotations"].pop(generator)
    assert without_empty(ours) == without_empty(theirs)


def test_schemas_of_custom_resources_are_current() -> None:
    from scripts.schemas.custom_resources import generate  # noqa: PLC0415

    assert generate(SCHEMAS / "crds") == texts(SCHEMAS / "custom-resources")


@pytest.mark.skipif(find_spec("kubernetes_validate") is None, reason="kubernetes-validate is not installed")
def test_schemas_of_kubernetes_are_current() -> None:
    from scripts.schemas.kubernetes import generate  # noqa: PLC0415

    assert generate() == texts(SCHEMAS / "kubernetes")
