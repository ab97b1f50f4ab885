"""Which kubeconform or kustomize is taken, and what is never run."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

from compiler.tools import find_tool, on_path, pins, places
from tests.tools.conftest import VERSIONS, Machine

NAMES = sorted(VERSIONS)


@pytest.mark.parametrize("name", NAMES)
def test_first_use_builds_the_tool_into_the_checkout(machine: Machine, name: str) -> None:
    machine.go()
    assert find_tool(name, machine.root) == machine.checkout / ".tools" / "bin" / name


def test_second_use_starts_no_process(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.go()
    first = find_tool("kubeconform", machine.root)

    def refuse(*command: object, **_options: object) -> NoReturn:
        pytest.fail(f"started {command}")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert find_tool("kubeconform", machine.root) == first


def test_the_checkout_s_own_tool_comes_before_one_on_path(machine: Machine) -> None:
    machine.go()
    find_tool("kubeconform", machine.root)
    machine.tool("kubeconform")
    assert find_tool("kubeconform", machine.root) == machine.tools / "kubeconform"


def _cut_short(program: Path) -> None:
    program.write_bytes(program.read_bytes()[:-1])


def _touched(program: Path) -> None:
    os.utime(program, ns=(1, 1))


def _gone(program: Path) -> None:
    program.unlink()


def _record_gone(program: Path) -> None:
    program.with_name(".kubeconform.built").unlink()


def _record_damaged(program: Path) -> None:
    program.with_name(".kubeconform.built").write_bytes(b"\xff\x00")


@pytest.mark.parametrize("damage", [_cut_short, _touched, _gone, _record_gone, _record_damaged])
def test_a_damaged_tool_is_built_again(machine: Machine, damage: object) -> None:
    machine.go()
    program = find_tool("kubeconform", machine.root)
    assert callable(damage)
    damage(program)
    find_tool("kubeconform", machine.root)
    assert len(machine.calls("go build")) == 2


def test_another_pin_builds_again(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.go()
    find_tool("kubeconform", machine.root)
    shutil.copytree(pins.GOMOD, machine.home / "gomod")
    with (machine.home / "gomod" / "kubeconform" / "go.sum").open("a", encoding="utf-8") as file:
        file.write("example.com/x v1.0.0 h1:0000000000000000000000000000000000000000000=\n")
    monkeypatch.setattr(pins, "GOMOD", machine.home / "gomod")
    find_tool("kubeconform", machine.root)
    assert len(machine.calls("go build")) == 2


@pytest.mark.parametrize("name", NAMES)
def test_one_that_go_installed_on_path_is_used_as_it_is(machine: Machine, name: str) -> None:
    on_path = machine.tool(name, built=VERSIONS[name], said="development")
    assert find_tool(name, machine.root) == on_path


@pytest.mark.parametrize("name", NAMES)
def test_a_release_binary_on_path_is_used_as_it_is(machine: Machine, name: str) -> None:
    on_path = machine.tool(name, said=VERSIONS[name])
    assert find_tool(name, machine.root) == on_path


def test_a_later_one_on_path_is_used_when_an_earlier_one_is_another_version(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.tool("kustomize", said="v5.7.0")
    later = machine.tool("kustomize", folder=machine.home / "later")
    monkeypatch.setenv("PATH", f"{machine.bin}{os.pathsep}{later.parent}")
    assert find_tool("kustomize", machine.root) == later


def test_a_program_on_path_is_asked_for_its_version_once(machine: Machine) -> None:
    machine.tool("kustomize")
    for _ in range(3):
        find_tool("kustomize", machine.root)
    assert machine.calls("kustomize") == ["kustomize version"]


def test_a_program_on_path_that_was_replaced_is_judged_again(machine: Machine) -> None:
    machine.tool("kustomize")
    find_tool("kustomize", machine.root)
    machine.tool("kustomize", said="v5.9.0-rc1")
    machine.go()
    assert find_tool("kustomize", machine.root) == machine.tools / "kustomize"


def test_a_folder_that_cannot_be_written_does_not_stop_one_on_path(machine: Machine) -> None:
    (machine.checkout / ".tools").touch()
    on_path = machine.tool("kustomize")
    assert find_tool("kustomize", machine.root) == on_path


@pytest.mark.parametrize(
    ("said", "built"),
    [
        pytest.param("v0.7.0", "v0.7.0", id="older"),
        pytest.param("v0.8.0-1", "(devel)", id="not a release"),
        pytest.param("development", "v0.8.0+dirty", id="changed by hand"),
    ],
)
def test_another_version_on_path_is_not_used(machine: Machine, said: str, built: str) -> None:
    machine.tool("kubeconform", said=said, built=built)
    machine.go()
    assert find_tool("kubeconform", machine.root) == machine.tools / "kubeconform"


def test_a_shim_on_path_is_not_even_asked(machine: Machine) -> None:
    """asdf and its like start another version in another folder: what such a shim says now proves nothing."""
    machine.executable(machine.bin / "kubeconform", [f"echo kubeconform >> {machine.log}", "echo v0.8.0"])
    machine.go()
    assert find_tool("kubeconform", machine.root) == machine.tools / "kubeconform"
    assert machine.calls("kubeconform") == []


@pytest.mark.parametrize("fails", ["exit 1", "kill -9 $$"])
def test_a_program_on_path_that_fails_is_not_used(machine: Machine, fails: str) -> None:
    machine.executable(machine.bin / "kustomize", [fails, "path\tsigs.k8s.io/kustomize/kustomize/v5"])
    machine.go()
    assert find_tool("kustomize", machine.root) == machine.tools / "kustomize"


def test_a_file_too_large_to_be_the_tool_is_not_even_read(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_path, "_LARGEST", 10)
    machine.tool("kustomize")
    machine.go()
    assert find_tool("kustomize", machine.root) == machine.tools / "kustomize"


def test_a_program_in_the_repository_being_compiled_is_never_run(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = machine.tool("kubeconform", folder=machine.root / "bin")
    monkeypatch.setenv("PATH", f"{planted.parent}{os.pathsep}{machine.bin}")
    machine.go()
    assert find_tool("kubeconform", machine.root) == machine.tools / "kubeconform"
    assert machine.calls("kubeconform") == []


def test_a_link_into_the_repository_being_compiled_is_never_run(machine: Machine) -> None:
    planted = machine.tool("kubeconform", folder=machine.root / "bin")
    (machine.bin / "kubeconform").symlink_to(planted)
    machine.go()
    assert find_tool("kubeconform", machine.root) == machine.tools / "kubeconform"


def test_a_repository_that_looks_like_gpuc_s_own_checkout_is_not_believed(machine: Machine) -> None:
    """A hostile repository may bring its own tools, records included."""
    (machine.root / "pyproject.toml").touch()
    planted = machine.tool("kubeconform", folder=machine.root / ".tools" / "bin")
    places.mark_built(planted.parent, "kubeconform", pins.fingerprint("kubeconform"))
    machine.go()
    assert find_tool("kubeconform", machine.root) == machine.tools / "kubeconform"


@pytest.mark.parametrize("entry", ["", ".", "bin"])
def test_a_relative_entry_of_path_is_passed_over(machine: Machine, monkeypatch: pytest.MonkeyPatch, entry: str) -> None:
    elsewhere = machine.tool("kubeconform", folder=machine.home / "elsewhere" / entry).parent
    monkeypatch.chdir(elsewhere if entry != "bin" else elsewhere.parent)
    monkeypatch.setenv("PATH", f"{entry}{os.pathsep}{machine.bin}")
    machine.go()
    assert find_tool("kubeconform", machine.root) == machine.tools / "kubeconform"


def test_a_tool_that_gpuc_does_not_know_is_a_bug_of_the_caller(machine: Machine) -> None:
    with pytest.raises(ValueError, match="no tool named 'helm'; it has kubeconform, kustomize"):
        find_tool("helm", machine.root)
