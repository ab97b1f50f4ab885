"""Programs are built once for what go.sum pins, and a build that fails leaves no half of one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e import build
from tests.e2e.build import RECIPES, BuildFailed, Recipe

IDS = [recipe.name for recipe in RECIPES]


def copy(text: str) -> Callable[[Path], build._Command]:
    """Return a build that writes `text`; an empty one fails."""
    return lambda to: build._Command(
        ["sh", "-c", 'test -n "$1" && printf %s "$1" > "$0"', str(to), text], to.parent, dict(os.environ)
    )


@pytest.mark.parametrize("recipe", RECIPES, ids=IDS)
def test_a_program_is_a_tool_of_its_module_or_lies_in_it(recipe: Recipe) -> None:
    module = build.HERE / "go" / recipe.module
    declared = recipe.package in (module / "go.mod").read_text(encoding="utf-8").split()
    assert declared or (module / recipe.package / "main.go").is_file()


@pytest.mark.parametrize("recipe", [one for one in RECIPES if one.module != "keys"], ids=lambda one: one.name)
def test_a_module_pins_what_it_is_built_from(recipe: Recipe) -> None:
    assert (build.HERE / "go" / recipe.module / "go.sum").is_file()


def test_what_is_built_is_not_built_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build._build_one(tmp_path, "etcd", "v1", copy("first"))
    build._build_one(tmp_path, "etcd", "v1", copy("second"))
    assert ((tmp_path / "etcd").read_text(encoding="utf-8"), capsys.readouterr().err.count("built etcd")) == (
        "first",
        1,
    )


def test_another_pin_builds_again(tmp_path: Path) -> None:
    build._build_one(tmp_path, "etcd", "v1", copy("first"))
    build._build_one(tmp_path, "etcd", "v2", copy("second"))
    assert (tmp_path / "etcd").read_text(encoding="utf-8") == "second"


def test_a_build_that_fails_keeps_the_old_program_and_is_tried_again(tmp_path: Path) -> None:
    build._build_one(tmp_path, "etcd", "v1", copy("first"))
    with pytest.raises(BuildFailed, match="etcd cannot be built"):
        build._build_one(tmp_path, "etcd", "v2", copy(""))
    build._build_one(tmp_path, "etcd", "v2", copy("second"))
    assert (tmp_path / "etcd").read_text(encoding="utf-8") == "second"


def test_a_missing_compiler_is_named(tmp_path: Path) -> None:
    command = build._Command(["no-such-compiler"], tmp_path, {"PATH": ""})
    with pytest.raises(BuildFailed, match="no-such-compiler is not installed"):
        build._build_one(tmp_path, "etcd", "v1", lambda _: command)
