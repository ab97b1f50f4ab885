"""Rules on inputs: each refuses what would fail at run time, at its line, and passes the twin beside it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compiler.check import all_rules, check
from compiler.check.rule import BaseRule
from compiler.diagnostics import Diagnostic, Severity
from compiler.pipeline import read
from tests.check.inputs.cases import CASES, Case
from tests.inputs.project import OVERLAY, STACK, edited, write


def found(root: Path, files: dict[str, str], code: str = "") -> list[Diagnostic]:
    """Return what one rule finds, or all of them; others may have more to say about the same inputs."""
    return [item for item in check(read(write(root, files))).diagnostics if not code or item.rule == code]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_mistake_is_found_at_its_place(case: Case, tmp_path: Path) -> None:
    (diagnostic,) = found(tmp_path, case.contents, case.rule)
    assert diagnostic.rule == case.rule
    assert diagnostic.place is not None
    assert (diagnostic.place.path, diagnostic.place.line, diagnostic.place.column) == case.place
    said = f"{diagnostic.message} {diagnostic.help}"
    assert [part for part in case.says if part not in said] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_twin_passes(case: Case, tmp_path: Path) -> None:
    assert found(tmp_path, {**case.contents, **case.mended} if case.mended else {}, case.rule) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_help_is_a_phrase_without_a_full_stop(case: Case, tmp_path: Path) -> None:
    (diagnostic,) = found(tmp_path, case.contents, case.rule)
    assert diagnostic.help
    assert not diagnostic.help.endswith(".")
    assert not diagnostic.message.endswith(".")


def test_the_shipped_inputs_have_no_finding_but_what_does_not_fit_a_card_together() -> None:
    assert [found.rule for found in check(read(Path(__file__).parents[3])).diagnostics] == ["GPU405"]


def test_a_warning_does_not_make_a_run_fail(tmp_path: Path) -> None:
    (diagnostic,) = found(tmp_path, {STACK: edited(STACK, "version: v0.20.0", "version: v0.99.0")})
    assert (diagnostic.severity, diagnostic.is_error) == (Severity.WARNING, False)


def test_what_the_stack_says_is_reported_once_for_two_overlays(tmp_path: Path) -> None:
    second = edited(OVERLAY, "cluster: homelab", "cluster: other")
    stack = edited(STACK, "version: v0.19.0", "version: v0.18.0")
    (diagnostic,) = found(tmp_path, {STACK: stack, "overlays/second/overlay.yaml": second})
    assert diagnostic.rule == "GPU104"


def test_two_findings_name_both_places(tmp_path: Path) -> None:
    second = edited(OVERLAY, "cluster: homelab", "cluster:   homelab")
    (diagnostic,) = found(tmp_path, {"overlays/second/overlay.yaml": second})
    (related,) = diagnostic.related
    assert [str(diagnostic.place), str(related.place)] == [f"{OVERLAY}:3:10", "overlays/second/overlay.yaml:3:12"]


def test_every_rule_on_relations_between_fields_has_a_case() -> None:
    assert {rule.code for rule in all_rules() if rule.code <= "GPU111"} == {case.rule for case in CASES}


def test_no_code_and_no_name_is_used_twice() -> None:
    rules = all_rules()
    assert len({rule.code for rule in rules}) == len({rule.name for rule in rules}) == len(rules)


def page(rule: BaseRule[object]) -> str:
    """Return a rule's page: the docstring of the module that is named after it."""
    from importlib import import_module  # noqa: PLC0415 -- by name, as `gpuc explain` finds it

    text = import_module(f"compiler.check.rules.{rule.name.replace('-', '_')}").__doc__
    assert text
    return text


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_every_rule_has_a_page_under_its_name(rule: BaseRule[object]) -> None:
    headings = re.findall(r"^(What it does|Why [a-z ]+|How to mend it): \S", page(rule), re.MULTILINE)
    assert len(headings) == 3
    assert (headings[0], headings[2]) == ("What it does", "How to mend it")


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_every_page_is_made_of_sentences(rule: BaseRule[object]) -> None:
    paragraphs = page(rule).strip().split("\n\n")
    assert [paragraph for paragraph in paragraphs if paragraph.strip()[-1] not in ".:`)"] == []
    assert len(paragraphs[0].splitlines()) == 1
