"""`python -m compiler.tools`, with which `make setup` makes the tools ready."""

from __future__ import annotations

import pytest

from compiler.tools.__main__ import main
from tests.tools.conftest import Machine


def test_it_prints_where_each_tool_is(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    machine.go()
    assert main([]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"kubeconform v0.8.0: {machine.tools}/kubeconform",
        f"kustomize v5.8.1: {machine.tools}/kustomize",
    ]


@pytest.mark.usefixtures("machine")
def test_without_go_it_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 5
    assert capsys.readouterr().err.startswith("error[GPU951]: kubeconform v0.8.0 is not on this machine")


@pytest.mark.usefixtures("machine")
def test_arguments_that_it_does_not_know_are_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--build"]) == 2
    assert capsys.readouterr().err == "usage: python -m compiler.tools [--can-build]\n"


def test_can_build_needs_a_go_for_every_missing_tool(machine: Machine) -> None:
    machine.go("go1.24.0")
    assert main(["--can-build"]) == 5


def test_can_build_is_content_with_a_good_go_and_builds_nothing(machine: Machine) -> None:
    machine.go()
    assert main(["--can-build"]) == 0
    assert machine.calls("go build") == []


def test_can_build_needs_no_go_where_the_tools_are(machine: Machine) -> None:
    machine.tool("kubeconform")
    machine.tool("kustomize")
    assert main(["--can-build"]) == 0


def test_can_build_needs_no_go_for_tools_that_were_built(machine: Machine) -> None:
    machine.go()
    main([])
    (machine.bin / "go").unlink()
    assert main(["--can-build"]) == 0
