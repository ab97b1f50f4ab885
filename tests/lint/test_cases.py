"""What goes wrong in real stacks is found at its line, and nothing is found in the same stack done right."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from compiler.check import rules_on
from compiler.check.chartvalues import ChartRule
from compiler.check.rule import BaseRule
from compiler.check.talosfile import TalosRule
from tests.inputs.project import Result, gpuc
from tests.lint.cases import CASES, FOLDER, Case
from tests.lint.coverage import CASES as SITUATIONS
from tests.lint.coverage import MISTAKES, REPORTS, ROWS

SHARED = Path(__file__).parents[2] / "../shared"


def linted(case: Case, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Result:
    monkeypatch.chdir(FOLDER)
    return gpuc(capsys, "lint", *case.arguments, "--format", "json")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_exactly_what_is_wrong_is_found_at_its_place(
    case: Case, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    result = linted(case, capsys, monkeypatch)
    found = [
        (item["rule"], item["severity"], item["place"]["line"], item["place"]["column"]) for item in result.findings
    ]
    assert sorted(found) == case.expected
    assert {item["place"]["path"] for item in result.findings} <= {case.path.name}
    assert result.code == (1 if any(severity == "error" for _, severity, _, _ in found) else 0)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_every_finding_says_what_to_do(
    case: Case, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for item in linted(case, capsys, monkeypatch).findings:
        assert item["help"]
        assert not item["message"].endswith(".")
        assert not item["help"].endswith(".")


def test_every_input_has_its_twin() -> None:
    names = {kind: {case.id.partition(".")[2] for case in CASES if case.id.startswith(kind)} for kind in ("fail", "ok")}
    assert names["fail"] == names["ok"]
    assert len(names["ok"]) * 2 == len(CASES)


def test_only_twins_pass() -> None:
    assert [case.id for case in CASES if case.id.startswith("ok.") == bool(case.expected)] == []


@pytest.mark.parametrize(("row", "shown"), ROWS.items(), ids=ROWS)
def test_no_known_mistake_goes_unnoticed(row: str, shown: tuple[str, ...] | str) -> None:
    there = {case.id.removeprefix("fail.") for case in CASES if case.id.startswith("fail.")}
    if isinstance(shown, str):
        assert len(shown.split()) > 4, f"{row}: say why lint cannot see it"
    else:
        assert shown
        assert set(shown) <= there


@pytest.mark.parametrize("kind", [ChartRule, TalosRule])
def test_every_rule_on_values_and_talos_has_an_input_that_fails_it(kind: type[BaseRule[object]]) -> None:
    found = {rule for case in CASES for rule, *_ in case.expected}
    assert {rule.code for rule in rules_on(kind)} - found == set()


def _rows(section: int) -> int:
    text = (SHARED / "facts.md").read_text(encoding="utf-8")
    body = text.partition(f"\n## {section}. ")[2].partition("\n## ")[0]
    return len([line for line in body.splitlines() if line.startswith("| ")]) - 1


@pytest.mark.skipif(not SHARED.exists(), reason="the collection of facts is not part of the repository")
def test_the_table_has_every_row_of_the_collection() -> None:
    assert (len(REPORTS), len(MISTAKES)) == (_rows(8), _rows(9))
    ids = re.findall(r"^- id: (\S+)", (SHARED / "cases/cases.yaml").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(SITUATIONS) == sorted(ids)


def test_findings_name_the_value_not_the_object_that_it_becomes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    case = next(case for case in CASES if case.id == "fail.exporter-takes-a-slice")
    (found,) = json.loads(linted(case, capsys, monkeypatch).stdout)["findings"]
    line = case.path.read_text(encoding="utf-8").splitlines()[found["place"]["line"] - 1]
    assert line.strip() == "nvidia.com/gpu: 1"
