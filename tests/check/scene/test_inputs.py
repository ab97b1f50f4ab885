"""Each rule on finished objects: inputs that it refuses, at the exact place, and inputs that pass all of them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from compiler.check.rule import SceneRule
from tests.check.scene.fixtures import HERE, INPUTS, expected, object_rules, run, scene_of


def shown(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize("path", INPUTS, ids=shown)
def test_the_rules_find_exactly_what_the_input_says_and_where(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = run(scene_of(text, path.name))
    places = [(item.rule, item.severity.value, item.place) for item in found]
    actual = sorted((rule, severity, place.line, place.column) for rule, severity, place in places if place)
    assert actual == expected(text)
    assert {place.path for _, _, place in places if place} <= {path.name}


@pytest.mark.parametrize("rule", object_rules(), ids=lambda rule: rule.code)
def test_every_rule_has_an_input_that_it_refuses_and_one_that_passes(rule: SceneRule) -> None:
    folder = HERE / "inputs" / rule.name
    refused = {
        path.name
        for path in folder.glob("fail.*.yaml")
        if rule.code in {code for code, *_ in expected(path.read_text(encoding="utf-8"))}
    }
    assert refused == {path.name for path in folder.glob("fail.*.yaml")}
    assert len(refused) > 0
    assert len(list(folder.glob("ok.*.yaml"))) > 0


@pytest.mark.parametrize("path", [path for path in INPUTS if path.name.startswith("ok.")], ids=shown)
def test_an_input_that_passes_says_so(path: Path) -> None:
    assert expected(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", [path for path in INPUTS if path.name.startswith("fail.")], ids=shown)
def test_every_finding_says_what_to_do_in_a_phrase(path: Path) -> None:
    for item in run(scene_of(path.read_text(encoding="utf-8"), path.name)):
        assert item.help
        assert not item.help.endswith(".")
        assert not item.message.endswith(".")


@pytest.mark.parametrize("rule", object_rules(), ids=lambda rule: rule.code)
def test_every_rules_page_has_its_parts_and_a_source(rule: SceneRule) -> None:
    page = import_module(rule.check.__module__).__doc__
    assert page
    parts = page.split("\n\n")
    assert parts[1].startswith("What it does: ")
    assert parts[2].startswith(("Why it fails at run time: ", "Why it matters: "))
    assert parts[3].startswith("How to mend it: ")
