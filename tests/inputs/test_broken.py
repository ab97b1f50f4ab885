"""Every kind of broken input: one finding, its line and column, what to do, exit 1, and out/ untouched."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.inputs.cases_files import FILE_CASES, MANY
from tests.inputs.cases_keys import CHART_VALUES, UNKNOWN_KEYS
from tests.inputs.cases_overlay import OVERLAY_VALUES
from tests.inputs.cases_overrides import OVERRIDES, PATCH_FILES, PATCHES
from tests.inputs.cases_stack import STACK_VALUES
from tests.inputs.project import OVERLAY, SENTINEL, STACK, Broken, gpuc, write
from tests.write.support import tree

CASES = (
    *FILE_CASES,
    *UNKNOWN_KEYS,
    *CHART_VALUES,
    *STACK_VALUES,
    *OVERLAY_VALUES,
    *OVERRIDES,
    *PATCHES,
    *PATCH_FILES,
)


def test_there_are_more_than_a_hundred_kinds() -> None:
    assert len({case.id for case in CASES}) == len(CASES)
    assert len({case.content for case in CASES} - {""}) > 200


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_mistake_is_named_once_with_its_place_and_a_cure(
    case: Broken, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = write(tmp_path, {case.path: case.content, **dict(case.also)})
    before = tree(root)
    result = gpuc(capsys, "compile", "--root", root, "--format", "json")
    assert (result.code, result.stderr) == (1, "")
    (found,) = result.findings
    assert found["rule"] == case.rule
    assert (found["place"]["path"], found["place"]["line"], found["place"]["column"]) == (case.path, *case.place)
    said = f"{found['message']} {found['help']}"
    assert [part for part in case.says if part not in said] == []
    assert found["help"]
    assert len(found["message"]) < 400
    after = {name: text for name, text in tree(root).items() if not name.startswith(".gpuc-work")}
    assert after == before


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_no_mistake_gives_a_traceback_or_raw_control_characters(
    case: Broken, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = write(tmp_path, {case.path: case.content, **dict(case.also)})
    result = gpuc(capsys, "compile", "--root", root)
    assert (result.code, result.stdout) == (1, "")
    assert "Traceback" not in result.stderr
    assert f"--> {case.path}:{case.place[0]}:{case.place[1]}\n" in result.stderr
    assert all(char == "\n" or char.isprintable() for char in result.stderr)
    assert result.stderr.endswith("1 error\n")
    assert max(map(len, result.stderr.splitlines())) < 600


@pytest.mark.parametrize(("path", "text", "rule"), MANY.values(), ids=MANY)
def test_a_hostile_file_is_refused_in_seconds(
    path: str, text: str, rule: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = write(tmp_path, {path: text})
    start = time.monotonic()
    result = gpuc(capsys, "compile", "--root", root, "--format", "json")
    assert time.monotonic() - start < 15  # two processors, and others at work
    assert result.code == 1
    assert rule in {found["rule"] for found in result.findings}
    assert len(result.stdout) < 100_000


def test_all_mistakes_of_all_inputs_are_reported_in_one_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stack = "apiVersion: gpuc/v1alpha1\nkind: GPUStack\nnamspace: a\n"
    overlay = "apiVersion: gpuc/v1alpha1\nkind: Overlay\ncluster: A\nnodePools: []\n"
    root = write(tmp_path, {STACK: stack, OVERLAY: overlay, "overlays/second/overlay.yaml": overlay})
    found = gpuc(capsys, "compile", "--root", root, "--format", "json").findings
    assert [(item["place"]["path"], item["place"]["line"], item["rule"]) for item in found] == [
        (STACK, 1, "GPU031"),
        (STACK, 1, "GPU031"),
        (STACK, 1, "GPU031"),
        (STACK, 1, "GPU031"),
        (STACK, 3, "GPU030"),
        ("overlays/second/overlay.yaml", 3, "GPU033"),
        ("overlays/second/overlay.yaml", 4, "GPU033"),
        (OVERLAY, 3, "GPU033"),
        (OVERLAY, 4, "GPU033"),
    ]


def test_a_broken_file_does_not_hide_the_mistakes_of_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = write(tmp_path, {STACK: "a: *b\n", OVERLAY: "a: &b 1\n"})
    found = gpuc(capsys, "compile", "--root", root, "--format", "json").findings
    assert [(item["place"]["path"], item["rule"]) for item in found] == [(STACK, "GPU010"), (OVERLAY, "GPU010")]


def test_the_sentinel_is_part_of_what_is_compared(tmp_path: Path) -> None:
    assert SENTINEL in tree(write(tmp_path))
