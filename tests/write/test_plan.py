"""What `gpuc check` finds out about `out/`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from compiler.write import differences, plan
from tests.write.support import NEW, OLD, commit_all, compile_to, git, stamps, tree


def test_a_missing_out_is_all_added(tmp_path: Path) -> None:
    assert plan(tmp_path, OLD).added == (".gpuc.json", "base/a.yaml", "base/b/c.yaml", "overlays/x/k.yaml")


def test_planning_touches_nothing(tmp_path: Path) -> None:
    plan(tmp_path, OLD)
    assert tree(tmp_path) == {}


def test_out_is_current_after_compiling(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    assert plan(tmp_path, OLD).is_current


def test_every_path_is_in_one_group(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    made = plan(tmp_path, NEW)
    actual = (made.added, made.changed, made.removed, made.unchanged)
    assert actual == (("base/d.yaml",), (".gpuc.json", "base/a.yaml"), ("base/b/c.yaml",), ("overlays/x/k.yaml",))


def test_the_manifest_lists_paths_sorted_one_a_line_and_nothing_else(tmp_path: Path) -> None:
    compile_to(tmp_path, {"b": "", "a/é.yaml": ""})
    text = (tmp_path / "out/.gpuc.json").read_text("utf-8")
    assert text == '{\n  "version": 1,\n  "files": [\n    "a/é.yaml",\n    "b"\n  ]\n}\n'


def test_changing_a_value_leaves_the_manifest_alone(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    before = stamps(tmp_path / "out")[str(tmp_path / "out/.gpuc.json")]
    compile_to(tmp_path, {**OLD, "base/a.yaml": "a: 6\n"})
    assert stamps(tmp_path / "out")[str(tmp_path / "out/.gpuc.json")] == before


def test_differences_say_how_each_file_differs(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    found = [(d.path, d.kind, d.diff) for d in differences(plan(tmp_path, NEW)) if d.path != "out/.gpuc.json"]
    assert found == [
        (
            "out/base/a.yaml",
            "changed",
            "--- out/base/a.yaml (on disk)\n+++ out/base/a.yaml (compiled)\n@@ -1 +1 @@\n-a: 1\n+a: 2\n",
        ),
        (
            "out/base/b/c.yaml",
            "removed",
            "--- out/base/b/c.yaml (on disk)\n+++ /dev/null (compiled)\n@@ -1 +0,0 @@\n-c: 1\n",
        ),
        (
            "out/base/d.yaml",
            "added",
            "--- /dev/null (on disk)\n+++ out/base/d.yaml (compiled)\n@@ -0,0 +1 @@\n+d: 1\n",
        ),
    ]


def test_there_are_no_differences_when_out_is_current(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    assert differences(plan(tmp_path, OLD)) == []


def test_a_difference_cannot_steer_the_terminal(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    (tmp_path / "out/base/a.yaml").write_bytes(b"\x1b]0;x\x07\xff\r\n\xe2\x80\xae")
    (found,) = differences(plan(tmp_path, OLD))
    assert found.diff.splitlines()[3:5] == ["-\\x1b]0;x\\x07\\xff\\r", "-\\u202e"]


def test_a_difference_in_the_last_newline_is_shown(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    (tmp_path / "out/base/a.yaml").write_bytes(b"a: 1")
    (found,) = differences(plan(tmp_path, OLD))
    assert found.diff.splitlines()[3:] == [" a: 1", "-\\ No newline at end of file"]


@pytest.mark.parametrize("size", [600 * 1024, 17 * 1024 * 1024], ids=["too large to compare", "too large to read"])
def test_a_huge_file_is_a_difference_without_a_diff(tmp_path: Path, size: int) -> None:
    compile_to(tmp_path, OLD)
    os.truncate(tmp_path / "out/base/a.yaml", size)
    (found,) = differences(plan(tmp_path, OLD))
    assert "too large to compare" in found.diff


def test_modes_that_a_checkout_chose_are_no_difference(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    (tmp_path / "out/base/a.yaml").chmod(0o600)
    assert plan(tmp_path, OLD).is_current


def test_a_checkout_with_autocrlf_is_current(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    compile_to(tmp_path, OLD)
    commit_all(tmp_path)
    git(tmp_path, "config", "core.autocrlf", "true")
    (tmp_path / "out/base/a.yaml").unlink()
    git(tmp_path, "checkout", "--", "out")
    assert ((tmp_path / "out/base/a.yaml").read_bytes(), plan(tmp_path, OLD).is_current) == (b"a: 1\r\n", True)


def test_a_file_committed_with_crlf_is_stale(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    compile_to(tmp_path, OLD)
    (tmp_path / "out/base/a.yaml").write_bytes(b"a: 1\r\n")
    commit_all(tmp_path)
    assert plan(tmp_path, OLD).changed == ("base/a.yaml",)


def test_crlf_without_git_is_stale(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    (tmp_path / "out/base/a.yaml").write_bytes(b"a: 1\r\n")
    assert plan(tmp_path, OLD).changed == ("base/a.yaml",)


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../x",
        "a/../../x",
        "a//b",
        "a/./b",
        "",
        "a\\b",
        "C:x",
        "a\nb",
        "a\u202eb",
        "e\u0301",
        ".git/config",
        "a/.GIT/hooks/x",
        "GIT~1/x",
        ".git./x",
        "a /b",
        "x" * 256,
        "a/" * 70 + "b",
    ],
)
def test_a_path_that_leaves_out_or_fools_somebody_is_refused(tmp_path: Path, path: str) -> None:
    assert [d.rule for d in plan(tmp_path, {path: "x\n"}).blocked] == ["GPU901"]


@pytest.mark.parametrize("path", [".gitattributes", "a/é.yaml", "a b.yaml", "Ünï/日本", "x" * 255, "a-b_c.d"])
def test_an_unusual_but_good_path_is_written(tmp_path: Path, path: str) -> None:
    compile_to(tmp_path, {path: "x\n"})
    assert (tmp_path / "out" / path).read_text("utf-8") == "x\n"


@pytest.mark.parametrize(
    "paths",
    [["a.yaml", "A.yaml"], ["x/a", "X/b"], ["straße", "STRASSE"], ["é", "É"], ["a", "a/b"], [".GPUC.json"]],
    ids=["file", "folder", "folding", "accent", "file and folder", "manifest"],
)
def test_paths_that_collide_on_some_file_systems_are_refused(tmp_path: Path, paths: list[str]) -> None:
    assert [d.rule for d in plan(tmp_path, dict.fromkeys(paths, "")).blocked] == ["GPU902"]


def test_the_manifest_cannot_be_a_compiled_file(tmp_path: Path) -> None:
    assert [d.rule for d in plan(tmp_path, {".gpuc.json": ""}).blocked] == ["GPU901"]
