"""`gpuc explain`: a page for every code that gpuc can print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import compiler
from compiler.check import all_rules
from compiler.pages import pages
from scripts.docs import rules
from tests.inputs.project import gpuc

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("asked", ["GPU203", "gpu203", "203", "taint-coverage"])
def test_a_rule_is_found_by_code_and_by_name(asked: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = gpuc(capsys, "explain", asked)
    assert (result.code, result.stderr) == (0, "")
    head, *rest = result.stdout.splitlines()
    assert head == "GPU203 taint-coverage (error; an overlay may accept it under `ignore`)"
    assert [line.partition(":")[0] for line in rest if re.match(r"(What it|Why|How)[a-z ]*:", line)] == [
        "What it does",
        "Why it fails at run time",
        "How to mend it",
    ]


@pytest.mark.parametrize("code", ["GPU018", "GPU030", "GPU904"])
def test_what_is_no_rule_has_a_short_page(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = gpuc(capsys, "explain", code)
    assert result.code == 0
    assert result.stdout.startswith(f"{code} ")
    assert "(error, no rule)" in result.stdout.splitlines()[0]


def test_without_a_code_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    result = gpuc(capsys, "explain")
    assert result.code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == [page.code for page in pages()]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ("taint-coverag", "did you mean GPU203 (taint-coverage)?"),
        ("zzzzzz", "`gpuc explain` lists them"),
        ("\x1b[2J", "?[2J"),
    ],
)
def test_an_unknown_code_is_wrong_usage(asked: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = gpuc(capsys, "explain", asked)
    assert (result.code, result.stdout) == (2, "")
    assert says in result.stderr


def test_every_code_in_the_program_has_a_page() -> None:
    sources = Path(compiler.__file__).parent.rglob("*.py")
    named = {code for path in sources for code in re.findall(r'"(GPU[0-9]{3})"', path.read_text(encoding="utf-8"))}
    assert sorted(named - {page.code for page in pages()}) == []


def test_no_code_and_no_name_stands_for_two_things() -> None:
    found = pages()
    assert len({page.code for page in found}) == len(found)
    assert len({page.name for page in found}) == len(found)


def test_every_page_says_something_in_whole_sentences() -> None:
    assert [page.code for page in pages() if not page.title.endswith((".", "`", ")"))] == []
    assert [page.code for page in pages() if not page.text().rstrip().endswith((".", "`", ")"))] == []


def test_every_rule_names_its_cure_and_its_source_or_reason() -> None:
    lacking = [
        page.code
        for page in pages()
        if page.severity and not {"How to mend it:", "Why "} <= set(re.findall(r"How to mend it:|Why ", page.body))
    ]
    assert lacking == []
    assert {page.code for page in pages() if page.severity} == {rule.code for rule in all_rules()}


def test_the_documentation_is_current() -> None:
    assert (ROOT / "docs" / "rules.md").read_text(encoding="utf-8") == rules.text(), "run `make docs`"
