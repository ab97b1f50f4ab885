"""README shows what really happens: its commands, its output, its inputs and its links are held to the repository."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from compiler.cli.app import COMMANDS, run

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def blocks(language: str) -> list[str]:
    """Return README's code blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("base", "overlays", "out"):
        shutil.copytree(ROOT / name, tmp_path / name)
    return tmp_path


def test_the_overlay_shown_is_the_one_that_is_shipped() -> None:
    shown = next(block for block in blocks("yaml") if "kind: Overlay" in block)
    shipped = (ROOT / "overlays/worker4/overlay.yaml").read_text(encoding="utf-8")
    assert shown in shipped


def test_compiling_prints_what_is_shown(
    project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    assert run(["compile"]) == 0
    printed = capfd.readouterr()
    shown = next(block for block in blocks("console") if block.startswith("$ make compile\n"))
    assert printed.err + printed.out == shown.removeprefix("$ make compile\n")


def test_a_mistake_is_reported_as_shown(
    project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    overlay = project / "overlays/worker4/overlay.yaml"
    overlay.write_text(overlay.read_text(encoding="utf-8").replace("time-slicing", "timeslicing"), encoding="utf-8")
    assert run(["compile"]) == 1
    shown = next(block for block in blocks("console") if block.startswith("$ gpuc compile\n"))
    assert capfd.readouterr().err == shown.removeprefix("$ gpuc compile\n")


@pytest.mark.parametrize("command", sorted(set(re.findall(r"(?:`|\$ )gpuc ([a-z]+)", README))))
def test_every_command_that_is_named_exists(command: str) -> None:
    assert command in COMMANDS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    local = [link for link in links if not link.startswith(("http://", "https://", "mailto:"))]
    assert [link for link in local if not (page.parent / link).exists()] == []
