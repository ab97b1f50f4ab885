"""A hand edit in a compiled file that is not committed is never lost without --force; a merge never blocks."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from compiler.errors import InputError
from compiler.write import plan
from tests.write.support import NEW, OLD, commit_all, compile_to, git, owned_tree, stamps, write

FILE = "out/base/a.yaml"


def repository(root: Path) -> Path:
    """Return a repository with a committed, current `out/`, as cloned: gpuc has no record of having written it."""
    root.mkdir(exist_ok=True)
    git(root, "init", "-q")
    git(root, "config", "user.name", "test")
    git(root, "config", "user.email", "test@example.com")
    compile_to(root, OLD)
    commit_all(root)
    shutil.rmtree(root / ".gpuc-work")
    return root


def refusal(root: Path) -> list[str]:
    """Compile something else, and return the places of what stops it."""
    before = stamps(root / "out")
    with pytest.raises(InputError) as caught:
        compile_to(root, NEW)
    assert stamps(root / "out") == before
    assert {d.rule for d in caught.value.diagnostics} == {"GPU904"}
    return [str(d.place) for d in caught.value.diagnostics]


def compiled(root: Path) -> bool:
    compile_to(root, NEW)
    return owned_tree(root / "out") == NEW


def test_a_fresh_clone_compiles(tmp_path: Path) -> None:
    assert compiled(repository(tmp_path))


def test_an_earlier_result_that_is_not_committed_is_replaced(tmp_path: Path) -> None:
    root = repository(tmp_path)
    compile_to(root, {**OLD, "base/a.yaml": "a: 7\n"})
    assert compiled(root)


def test_an_earlier_result_is_replaced_without_git(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    assert compiled(tmp_path)


@pytest.mark.parametrize("staged", [False, True], ids=["unstaged", "staged"])
def test_an_uncommitted_edit_is_refused(tmp_path: Path, *, staged: bool) -> None:
    root = repository(tmp_path)
    write(root / FILE, "a: 1\nb: 2\n")
    if staged:
        git(root, "add", "-A")
    assert refusal(root) == [f"{FILE}:1:1"]


def test_an_uncommitted_edit_of_a_stale_file_is_refused(tmp_path: Path) -> None:
    root = repository(tmp_path)
    write(root / "out/base/b/c.yaml", "c: 2\n")
    assert refusal(root) == ["out/base/b/c.yaml:1:1"]


def test_every_edit_is_named_and_how_it_differs(tmp_path: Path) -> None:
    root = repository(tmp_path)
    write(root / FILE, "a: 2\nextra: 1\n")
    write(root / "out/base/b/c.yaml", "c: 2\n")
    with pytest.raises(InputError) as caught:
        compile_to(root, NEW)
    why = "is not what gpuc wrote, and not committed: it was edited by hand, and compiling would"
    assert [d.message for d in caught.value.diagnostics] == [
        f"out/base/a.yaml {why} undo that (line 2: `extra: 1` becomes ``; line 3: `` becomes nothing)",
        f"out/base/b/c.yaml {why} delete it",
    ]


def test_an_edit_is_refused_although_gpuc_has_its_record(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    write(tmp_path / FILE, "a: 3\n")
    assert refusal(tmp_path) == [f"{FILE}:1:1"]


def test_an_edit_of_a_huge_file_is_refused(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    with (tmp_path / FILE).open("r+b") as file:
        file.truncate(17 << 20)
    assert refusal(tmp_path) == [f"{FILE}:1:1"]


def test_a_committed_edit_is_replaced(tmp_path: Path) -> None:
    root = repository(tmp_path)
    write(root / FILE, "a: 1\nb: 2\n")
    commit_all(root)
    assert compiled(root)


def test_an_edit_that_says_what_the_inputs_say_is_no_edit(tmp_path: Path) -> None:
    root = repository(tmp_path)
    write(root / FILE, NEW["base/a.yaml"])
    assert compiled(root)


def test_an_edit_with_autocrlf_in_a_committed_file_is_told_from_line_endings(tmp_path: Path) -> None:
    root = repository(tmp_path)
    git(root, "config", "core.autocrlf", "true")
    (root / FILE).write_bytes(b"a: 1\r\n")
    assert compiled(root)


def test_force_overwrites_an_edit(tmp_path: Path) -> None:
    root = repository(tmp_path)
    write(root / FILE, "a: 1\nb: 2\n")
    compile_to(root, NEW, force=True)
    assert owned_tree(root / "out") == NEW


def test_a_result_that_comes_back_from_the_stash_is_known(tmp_path: Path) -> None:
    root = repository(tmp_path)
    compile_to(root, {**OLD, "base/a.yaml": "a: 7\n"})
    git(root, "stash")
    compile_to(root, {**OLD, "base/a.yaml": "a: 8\n"})
    git(root, "checkout", "-q", "--", ".")
    git(root, "stash", "pop")
    assert compiled(root)


def test_without_git_and_record_an_edit_cannot_be_told_and_is_refused(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    shutil.rmtree(tmp_path / ".gpuc-work")
    assert refusal(tmp_path) == ["out/.gpuc.json:5:1", "out/base/a.yaml:1:1", "out/base/b/c.yaml:1:1"]


def test_without_git_a_compile_that_changes_nothing_makes_the_record(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    shutil.rmtree(tmp_path / ".gpuc-work")
    compile_to(tmp_path, OLD)
    assert compiled(tmp_path)


def test_git_that_is_not_installed_is_as_good_as_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = repository(tmp_path)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InputError, match="git is not installed"):
        compile_to(root, NEW)


def test_what_git_complains_about_is_passed_on(tmp_path: Path) -> None:
    root = repository(tmp_path)
    (root / ".git/config").write_text("[core\n")
    with pytest.raises(InputError, match="git says: fatal: bad config line 1"):
        compile_to(root, NEW)


def test_before_the_first_commit_nothing_is_committed(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path / "out/.gpuc.json", '{"version": 1, "files": ["base/a.yaml"]}')
    write(tmp_path / FILE, "mine\n")
    git(tmp_path, "add", "-A")
    assert refusal(tmp_path) == ["out/.gpuc.json:1:1", f"{FILE}:1:1"]


def test_the_same_holds_in_a_subfolder_of_a_bigger_repository(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    root = tmp_path / "infra" / "gpu"
    root.mkdir(parents=True)
    compile_to(root, OLD)
    commit_all(tmp_path)
    shutil.rmtree(root / ".gpuc-work")
    write(root / FILE, "a: 3\n")
    places = refusal(root)
    git(tmp_path, "checkout", "--", ".")
    assert (places, compiled(root)) == ([f"{FILE}:1:1"], True)


def test_the_same_holds_in_a_worktree(tmp_path: Path) -> None:
    repository(tmp_path / "main")
    root = tmp_path / "tree"
    git(tmp_path / "main", "worktree", "add", "-q", str(root))
    write(root / FILE, "a: 3\n")
    places = refusal(root)
    git(root, "checkout", "--", ".")
    assert (places, compiled(root)) == ([f"{FILE}:1:1"], True)


def test_the_same_holds_with_sha256_objects(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256")
    compile_to(tmp_path, OLD)
    commit_all(tmp_path)
    shutil.rmtree(tmp_path / ".gpuc-work")
    assert compiled(tmp_path)


def test_the_environment_of_a_hook_does_not_confuse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = repository(tmp_path)
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")
    assert compiled(root)


def branches(root: Path, ours: dict[str, str], theirs: dict[str, str]) -> None:
    """Commit two results on two branches, each compiled on its own machine, and stay on the first."""
    git(root, "checkout", "-q", "-b", "theirs")
    compile_to(root, theirs)
    commit_all(root, "theirs")
    git(root, "checkout", "-q", "-")
    git(root, "checkout", "-q", "-b", "ours")
    compile_to(root, ours)
    commit_all(root, "ours")
    shutil.rmtree(root / ".gpuc-work")


LONG = {"base/a.yaml": "".join(f"k{n}: 0\n" for n in range(30)), "z.yaml": "z: 0\n"}
OURS = {"base/a.yaml": LONG["base/a.yaml"].replace("k1:", "ours:"), "z.yaml": "z: 1\n", "ours/one.yaml": "1\n"}
THEIRS = {"base/a.yaml": LONG["base/a.yaml"].replace("k28:", "th:"), "z.yaml": "z: 2\n", "theirs/one.yaml": "2\n"}
MERGED = {"base/a.yaml": "both: 1\n", "z.yaml": "z: 3\n"}


def start(root: Path) -> Path:
    git(root, "init", "-q")
    git(root, "config", "user.name", "test")
    git(root, "config", "user.email", "test@example.com")
    compile_to(root, LONG)
    commit_all(root)
    branches(root, OURS, THEIRS)
    return root


@pytest.mark.parametrize(
    "command",
    [["merge", "theirs"], ["rebase", "theirs"], ["cherry-pick", "theirs"]],
    ids=["merge", "rebase", "cherry-pick"],
)
def test_conflicts_are_mended_by_compiling(tmp_path: Path, command: list[str]) -> None:
    root = start(tmp_path)
    git(root, *command, check=False)
    assert "<<<<<<<" in (root / "out/.gpuc.json").read_text() + (root / "out/z.yaml").read_text()
    compile_to(root, MERGED)
    assert owned_tree(root / "out") == MERGED


def test_a_conflict_that_somebody_began_to_resolve_by_hand_is_mended_by_compiling(tmp_path: Path) -> None:
    root = start(tmp_path)
    git(root, "merge", "theirs", check=False)
    write(root / "out/z.yaml", "z: half\n")
    compile_to(root, MERGED)
    assert owned_tree(root / "out") == MERGED


def test_conflicts_that_were_added_as_they_are_are_mended_by_compiling(tmp_path: Path) -> None:
    root = start(tmp_path)
    git(root, "merge", "theirs", check=False)
    git(root, "add", "-A")
    compile_to(root, MERGED)
    assert owned_tree(root / "out") == MERGED


def test_conflicts_that_were_committed_are_mended_by_compiling(tmp_path: Path) -> None:
    root = start(tmp_path)
    git(root, "merge", "theirs", check=False)
    commit_all(root)
    compile_to(root, MERGED)
    assert owned_tree(root / "out") == MERGED


def test_conflicts_of_a_stash_are_mended_by_compiling(tmp_path: Path) -> None:
    root = start(tmp_path)
    compile_to(root, {**OURS, "z.yaml": "z: 9\n"})
    git(root, "stash")
    git(root, "checkout", "-q", "theirs")
    git(root, "stash", "pop", check=False)
    shutil.rmtree(root / ".gpuc-work")
    compile_to(root, MERGED)
    assert owned_tree(root / "out") == MERGED


def test_conflicts_of_a_stash_that_were_added_as_they_are_are_mended_by_compiling(tmp_path: Path) -> None:
    root = start(tmp_path)
    compile_to(root, {**OURS, "z.yaml": "z: 9\n"})
    git(root, "stash")
    git(root, "checkout", "-q", "theirs")
    git(root, "stash", "pop", check=False)
    git(root, "add", "-A")
    shutil.rmtree(root / ".gpuc-work")
    compile_to(root, MERGED)
    assert owned_tree(root / "out") == MERGED


@pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])
def test_the_files_of_both_sides_of_a_conflict_are_owned(tmp_path: Path, style: str) -> None:
    root = start(tmp_path)
    git(root, "-c", f"merge.conflictStyle={style}", "merge", "theirs", check=False)
    assert plan(root, MERGED).owned == {*OURS, *THEIRS, ".gpuc.json"}


def test_after_a_merge_an_edit_is_refused_again(tmp_path: Path) -> None:
    root = start(tmp_path)
    git(root, "merge", "theirs", check=False)
    compile_to(root, OLD)
    commit_all(root)
    write(root / FILE, "a: 3\n")
    assert refusal(root) == [f"{FILE}:1:1"]


def test_during_a_merge_an_edit_that_git_does_not_have_is_refused(tmp_path: Path) -> None:
    root = start(tmp_path)
    git(root, "merge", "theirs", check=False)
    write(root / "out/ours/one.yaml", "mine\n")
    assert refusal(root) == ["out/ours/one.yaml:1:1"]


def test_nothing_that_the_repository_configures_is_run(tmp_path: Path) -> None:
    root = repository(tmp_path)
    trap = write(root / "trap.sh", f"#!/bin/sh\ntouch '{tmp_path}/ran'\ncat\n")
    trap.chmod(0o755)
    for hook in ("post-index-change", "post-checkout", "fsmonitor-watchman", "pre-auto-gc", "reference-transaction"):
        (root / ".git/hooks").mkdir(exist_ok=True)
        shutil.copy(trap, root / ".git/hooks" / hook)
    for name in (
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "core.askPass",
        "diff.external",
        "diff.trap.textconv",
        "diff.trap.command",
        "filter.trap.clean",
        "filter.trap.smudge",
        "filter.trap.process",
        "merge.trap.driver",
        "credential.helper",
        "alias.ls-files",
        "alias.ls-tree",
        "uploadpack.packObjectsHook",
        "gpg.program",
    ):
        git(root, "config", name, ("!" if name.startswith("alias") else "") + str(trap))
    write(root / ".git/info/attributes", "* filter=trap diff=trap merge=trap\n")
    write(root / FILE, "a: 3\n")
    places = refusal(root)
    assert (places, (tmp_path / "ran").exists()) == ([f"{FILE}:1:1"], False)


def test_a_git_inside_the_repository_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = repository(tmp_path)
    write(root / "bin/git", f"#!/bin/sh\ntouch '{tmp_path}/ran'\n").chmod(0o755)
    monkeypatch.setenv("PATH", str(root / "bin"))
    with pytest.raises(InputError):
        compile_to(root, NEW)
    assert not (tmp_path / "ran").exists()


def test_git_is_not_asked_when_nothing_could_be_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_to(tmp_path, OLD)
    write(tmp_path / "bin/git", f"#!/bin/sh\ntouch '{tmp_path}/ran'\n").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    root = tmp_path / "root"
    root.mkdir()
    for files in (OLD, NEW, NEW, OLD):
        compile_to(root, files)
    assert not (tmp_path / "ran").exists()


def test_a_file_full_of_conflict_marks_takes_no_longer_than_any_other(tmp_path: Path) -> None:
    root = repository(tmp_path)
    write(root / "out/base/a.yaml", "<<<<<<< \n=======\n" * 20_000)
    start_ = time.monotonic()
    assert len(refusal(root)) == 1
    assert time.monotonic() - start_ < 10
