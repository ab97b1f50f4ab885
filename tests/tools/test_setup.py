"""What the Makefile and the check of the tree tell a person on a machine that lacks something."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.tools.conftest import Machine

REPOSITORY = Path(__file__).resolve().parents[2]


def make_environment(machine: Machine, python: Path) -> str:
    """Try to make the virtual environment with this Python alone; return what make printed as an error."""
    shutil.copy(REPOSITORY / "Makefile", machine.root)
    make = shutil.which("make", path="/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin")
    if not make:
        pytest.skip("make is not installed")
    run = subprocess.run(
        [make, f"PYTHON={python}", ".venv/.made"],
        cwd=machine.root,
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode != 0
    assert not (machine.root / ".venv").exists()
    return run.stderr


def test_without_a_python_that_is_new_enough_make_says_so(machine: Machine) -> None:
    old = machine.executable(machine.home / "python3.9", ["exit 1"])
    assert f"error: gpuc needs Python 3.11 or later; found none of: {old}." in make_environment(machine, old)


def test_without_ensurepip_make_names_the_package_that_brings_it(machine: Machine) -> None:
    bare = machine.executable(machine.home / "python3", ['case "$2" in *ensurepip*) exit 1 ;; esac'])
    message = f"error: {bare} has no venv or ensurepip module. On Debian and Ubuntu: apt install python3-venv"
    assert message in make_environment(machine, bare)


def check_tree(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    """Run the check over a repository whose one file has this line."""
    (folder / "file.md").write_text(f"{line}\n", encoding="utf-8")
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    subprocess.run(["git", "add", "."], cwd=folder, check=True)
    return subprocess.run([REPOSITORY / ".ci/check-tree"], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "host", ["py{}pi.org", "files.py{}thonhosted.org", "pro{}xy.golang.org", "registry.np{}mjs.org"]
)
def test_a_file_that_names_a_package_registry_is_refused(tmp_path: Path, host: str) -> None:
    run = check_tree(tmp_path, f"see {host.format('')} for it")
    assert (run.returncode, run.stdout) == (1, f"file.md:1:see {host.format('')} for it\n")


@pytest.mark.parametrize("folder", ["/ho{}me/ann/x", "/Us{}ers/ann", "/ro{}ot/.cache"])
def test_a_file_that_names_a_folder_of_one_machine_is_refused(tmp_path: Path, folder: str) -> None:
    run = check_tree(tmp_path, f"path: {folder.format('')}")
    assert (run.returncode, run.stderr) == (1, "error: these lines name a folder of one machine\n")


@pytest.mark.parametrize("line", ["image: docker.io/library/nginx", "path: /var/lib/kubelet", "a/home/b", "$HOME/x"])
def test_a_file_that_names_neither_is_fine(tmp_path: Path, line: str) -> None:
    assert check_tree(tmp_path, line).returncode == 0
