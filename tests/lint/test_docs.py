"""The page about lint shows what lint says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.inputs.project import gpuc

PAGE = Path(__file__).parents[2] / "docs/lint.md"
UPDATE = "--update-golden"


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_example_is_what_lint_prints(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    text = PAGE.read_text(encoding="utf-8")
    (source,), (shown,) = blocks(text, "yaml"), blocks(text, "text")
    monkeypatch.chdir(tmp_path)
    Path("gpu.yaml").write_text(source, encoding="utf-8")
    result = gpuc(capsys, "lint", "gpu.yaml", "--talos", "v1.13.3")
    if request.config.getoption(UPDATE):
        PAGE.write_text(text.replace(f"```text\n{shown}```", f"```text\n{result.stdout}```"), encoding="utf-8")
        shown = result.stdout
    assert result.code == 1
    assert result.stdout == shown


def test_every_option_is_on_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    options = set(re.findall(r"--[a-z]+", gpuc(capsys, "lint", "--help").stdout)) - {"--help"}
    assert {option for option in options if option not in PAGE.read_text(encoding="utf-8")} == set()
