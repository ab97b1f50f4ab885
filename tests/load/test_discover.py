"""Which files are inputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.errors import EnvironmentFailure, ExitCode, GpucError, InputError, NothingToCompileError
from compiler.load import find_inputs


def put(root: Path, *paths: str) -> Path:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("a: 1\n")
    return root


def failure(root: Path) -> GpucError:
    with pytest.raises(GpucError) as caught:
        find_inputs(root)
    return caught.value


def codes(root: Path) -> list[tuple[str, str]]:
    error = failure(root)
    assert type(error) is InputError
    return [(d.rule, d.place.path if d.place else "") for d in error.diagnostics]


def test_overlays_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    put(tmp_path, "base/stack.yaml", "overlays/b/overlay.yaml", "overlays/a/overlay.yaml")
    found = find_inputs(tmp_path)
    assert [found.stack, *found.overlays] == [
        tmp_path / "base/stack.yaml",
        tmp_path / "overlays/a/overlay.yaml",
        tmp_path / "overlays/b/overlay.yaml",
    ]


def test_what_is_no_overlay_is_passed_over(tmp_path: Path) -> None:
    put(tmp_path, "base/stack.yaml", "overlays/a/overlay.yaml", "overlays/README.md", "overlays/.cache/x")
    (tmp_path / "overlays/empty").mkdir()
    assert find_inputs(tmp_path).overlays == (tmp_path / "overlays/a/overlay.yaml",)


def test_neither_stack_nor_overlay(tmp_path: Path) -> None:
    error = failure(tmp_path)
    assert (type(error), error.exit_code) == (NothingToCompileError, ExitCode.NOTHING_TO_COMPILE)
    help_ = error.diagnostics[0].help or ""
    assert "`base/stack.yaml`" in help_
    assert "`overlays/<name>/overlay.yaml`" in help_


def test_a_stack_without_overlays(tmp_path: Path) -> None:
    error = failure(put(tmp_path, "base/stack.yaml"))
    assert (type(error), str(error)) == (
        NothingToCompileError,
        "nothing to compile: there is base/stack.yaml, but no overlay",
    )


def test_a_root_that_is_no_folder(tmp_path: Path) -> None:
    assert type(failure(tmp_path / "nowhere")) is NothingToCompileError


def test_overlays_without_a_stack(tmp_path: Path) -> None:
    assert codes(put(tmp_path, "overlays/a/overlay.yaml")) == [("GPU024", "base/stack.yaml")]


@pytest.mark.parametrize("name", ["stack.yml", "stack.json", "stack"])
def test_a_stack_by_another_name(tmp_path: Path, name: str) -> None:
    error = failure(put(tmp_path, f"base/{name}", "overlays/a/overlay.yaml"))
    assert error.diagnostics[0].help == f"Did you mean {name}? Rename it to stack.yaml."


def test_only_a_stack_by_another_name(tmp_path: Path) -> None:
    error = failure(put(tmp_path, "base/stack.yml"))
    assert error.diagnostics[0].help == "Did you mean stack.yml? Rename it to stack.yaml."


def test_an_overlay_by_another_name(tmp_path: Path) -> None:
    error = failure(put(tmp_path, "base/stack.yaml", "overlays/a/overlay.yml"))
    assert [(d.rule, d.help) for d in error.diagnostics] == [
        ("GPU025", "Did you mean overlay.yml? Rename it to overlay.yaml.")
    ]


def test_an_overlay_that_lost_its_file(tmp_path: Path) -> None:
    put(tmp_path, "base/stack.yaml", "overlays/a/overlay.yaml", "overlays/b/patch.yaml")
    assert codes(tmp_path) == [("GPU025", "overlays/b/overlay.yaml")]


@pytest.mark.parametrize("name", ["Worker", "a_b", "-a", "a-", "a.b", "x" * 64])
def test_a_folder_whose_name_no_object_may_have(tmp_path: Path, name: str) -> None:
    assert codes(put(tmp_path, "base/stack.yaml", f"overlays/{name}/overlay.yaml")) == [
        ("GPU026", f"overlays/{name}/overlay.yaml")
    ]


@pytest.mark.parametrize("name", ["a", "0", "worker-4", "x" * 63])
def test_a_folder_whose_name_is_a_label(tmp_path: Path, name: str) -> None:
    put(tmp_path, "base/stack.yaml", f"overlays/{name}/overlay.yaml")
    assert [path.parent.name for path in find_inputs(tmp_path).overlays] == [name]


@pytest.mark.parametrize("link", ["overlays", "overlays/b", "overlays/b/overlay.yaml", "base/stack.yaml"])
def test_links_out_of_the_root(tmp_path: Path, link: str) -> None:
    root = put(tmp_path / "root", "base/x", "x")
    outside = put(tmp_path / "outside", "overlays/b/overlay.yaml", "base/stack.yaml")
    if link != "base/stack.yaml":
        put(root, "base/stack.yaml")
    if link != "overlays":
        put(root, "overlays/a/overlay.yaml")
    (root / link).parent.mkdir(parents=True, exist_ok=True)
    (root / link).symlink_to(outside / link)
    assert codes(root) == [("GPU002", link)]


def test_links_inside_the_root_are_fine(tmp_path: Path) -> None:
    put(tmp_path, "base/stack.yaml", "shared/overlay.yaml")
    (tmp_path / "overlays").mkdir()
    (tmp_path / "overlays/a").symlink_to("../shared")
    assert find_inputs(tmp_path).overlays == (tmp_path / "overlays/a/overlay.yaml",)


def test_all_findings_come_together(tmp_path: Path) -> None:
    put(tmp_path, "overlays/B/overlay.yaml", "overlays/c/overlay.yml")
    assert [rule for rule, _ in codes(tmp_path)] == ["GPU024", "GPU026", "GPU025"]


def test_a_folder_that_cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "base/stack.yaml", "overlays/a/overlay.yaml")

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", refuse)
    error = failure(tmp_path)
    assert (type(error), error.exit_code) == (EnvironmentFailure, ExitCode.ENVIRONMENT)
