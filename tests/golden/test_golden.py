"""Whole inputs to whole outputs. `pytest tests/golden --update-golden` stores what comes out now: review the diff."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.pipeline import Built, build
from compiler.validate import Toolset, validate_tree
from tests.golden import stored


def compiled(case: str, folder: Path) -> Built:
    for path, text in stored.inputs(case).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    return build(folder)


def stack_files(built: Built) -> dict[str, str]:
    """Return the files of the stack itself; what hangs off it (delivery, pages) has tests of its own."""
    return {path: text for path, text in built.files.items() if path.startswith(("base/", "overlays/"))}


# `plain` comes first, because the others are stored as what differs from it.
@pytest.mark.parametrize("case", sorted(stored.CASES, key=lambda case: case != stored.PLAIN))
def test_a_case_compiles_to_the_stored_bytes(case: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    files = stack_files(compiled(case, tmp_path))
    if request.config.getoption("--update-golden"):
        stored.store(case, files)
    assert files == stored.expected(case)


@pytest.mark.parametrize("case", stored.CASES)
def test_a_case_passes_kustomize_and_kubeconform(case: str, tmp_path: Path, tools: Toolset) -> None:
    result = validate_tree(compiled(case, tmp_path).tree, tools, tmp_path)
    assert result.diagnostics == []
