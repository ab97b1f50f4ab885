"""Where tools are kept when gpuc is installed, rather than run from its checkout."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NoReturn

import pytest

from compiler.errors import EnvironmentFailure
from compiler.tools import find_tool, pins, places
from tests.tools.conftest import Machine


@pytest.fixture
def installed(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Return a machine on which gpuc is an installed package: no pyproject.toml beside it."""
    (machine.checkout / "pyproject.toml").unlink()
    monkeypatch.setenv("HOME", str(machine.home / "user"))
    return machine


def test_an_installed_gpuc_keeps_its_tools_in_the_user_s_cache(installed: Machine) -> None:
    installed.go()
    found = find_tool("kubeconform", installed.root)
    assert found.parent.parent == installed.home / "user" / ".cache" / "gpuc"


def test_xdg_cache_home_says_where_the_cache_is(installed: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(installed.home / "cache"))
    assert places.tools_folder().parent == installed.home / "cache" / "gpuc"


def test_a_relative_xdg_cache_home_is_ignored(installed: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    assert places.tools_folder().parent == installed.home / "user" / ".cache" / "gpuc"


def test_two_versions_of_gpuc_do_not_replace_each_other_s_tools(
    installed: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = places.tools_folder()
    shutil.copytree(pins.GOMOD, installed.home / "gomod")
    (installed.home / "gomod" / "kustomize" / "go.sum").write_text("", encoding="utf-8")
    monkeypatch.setattr(pins, "GOMOD", installed.home / "gomod")
    assert places.tools_folder() != before


def test_a_user_without_a_home_folder_reads_what_to_set(installed: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> NoReturn:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(EnvironmentFailure) as failure:
        find_tool("kubeconform", installed.root)
    assert failure.value.diagnostics[0].help == "set HOME or XDG_CACHE_HOME to a folder that you can write to"
