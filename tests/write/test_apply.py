"""What `gpuc compile` leaves in `out/`."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from compiler.errors import InputError
from compiler.write import apply, plan
from tests.write.support import NEW, OLD, commit_all, compile_to, git, owned_tree, stamps, tree, write


def test_out_holds_exactly_the_compiled_files(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    assert owned_tree(tmp_path / "out") == OLD


def test_a_second_compile_replaces_the_first_and_removes_stale_files_and_folders(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    compile_to(tmp_path, NEW)
    assert (owned_tree(tmp_path / "out"), (tmp_path / "out/base/b").exists()) == (NEW, False)


def test_compiling_the_same_again_touches_nothing(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    before = stamps(tmp_path)
    compile_to(tmp_path, OLD)
    assert stamps(tmp_path) == before


def test_unchanged_files_stay_the_same_files_with_the_same_time(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    name = str(tmp_path / "out/overlays/x/k.yaml")
    before = stamps(tmp_path / "out")[name]
    compile_to(tmp_path, NEW)
    assert (stamps(tmp_path / "out")[name], Path(name).stat().st_nlink) == (before, 1)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077], ids=oct)
def test_modes_do_not_depend_on_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        compile_to(tmp_path, OLD)
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(p.stat().st_mode) for p in (tmp_path / "out").rglob("*") if p.is_file()}
    folders = {stat.S_IMODE(p.stat().st_mode) for p in [tmp_path / "out", *(tmp_path / "out").rglob("*")] if p.is_dir()}
    assert (modes, folders) == ({0o644}, {0o755})


def test_git_sees_out_and_nothing_else(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    compile_to(tmp_path, OLD)
    assert git(tmp_path, "status", "--porcelain") == "?? out/\n"


def test_a_file_becomes_a_folder_and_back(tmp_path: Path) -> None:
    first, second = {"a": "1\n", "b/c": "2\n"}, {"a/x": "1\n", "b": "2\n"}
    seen = []
    for files in (first, second, first):
        compile_to(tmp_path, files)
        seen.append(owned_tree(tmp_path / "out"))
    assert seen == [first, second, first]


def test_a_rename_that_changes_only_the_case_works(tmp_path: Path) -> None:
    compile_to(tmp_path, {"Dir/A.yaml": "1\n"})
    compile_to(tmp_path, {"dir/a.yaml": "1\n"})
    assert owned_tree(tmp_path / "out") == {"dir/a.yaml": "1\n"}


def test_an_old_plan_is_made_again_before_it_is_applied(tmp_path: Path) -> None:
    old = plan(tmp_path, NEW)
    compile_to(tmp_path, OLD)
    apply(old, force=False)
    assert owned_tree(tmp_path / "out") == NEW


def test_an_old_plan_whose_work_is_done_touches_nothing(tmp_path: Path) -> None:
    old = plan(tmp_path, NEW)
    compile_to(tmp_path, NEW)
    before = stamps(tmp_path)
    apply(old, force=False)
    assert stamps(tmp_path / "out") == {path: stamp for path, stamp in before.items() if "/out" in path}


def test_an_old_plan_does_not_overwrite_what_came_meanwhile(tmp_path: Path) -> None:
    old = plan(tmp_path, NEW)
    write(tmp_path / "out/base/a.yaml", "mine\n")
    with pytest.raises(InputError, match=r"out/base/a\.yaml is a file that gpuc does not own"):
        apply(old, force=True)
    assert tree(tmp_path / "out") == {"base/a.yaml": "mine\n"}


def test_a_deleted_owned_file_comes_back(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    (tmp_path / "out/base/a.yaml").unlink()
    compile_to(tmp_path, OLD)
    assert owned_tree(tmp_path / "out") == OLD


def foreign(out: Path) -> dict[str, str]:
    """Put everything into `out/` that people put there, and return it."""
    write(out / "README.md", "mine\n").chmod(0o640)
    write(out / "base/b/notes.txt", "mine\n")
    write(out / "own/deep/er/x.sh", "mine\n").chmod(0o755)
    write(out / b"bad\xff".decode("utf-8", "surrogateescape"), "mine\n")
    (out / "base/link").symlink_to("../../elsewhere")
    (out / "empty/inner").mkdir(parents=True)
    os.mkfifo(out / "own/pipe")
    (out / "own/locked").mkdir(mode=0o700)
    (out / "own/locked").chmod(0o550)
    return {
        "README.md": "mine\n",
        "base/b/notes.txt": "mine\n",
        "own/deep/er/x.sh": "mine\n",
        "bad\udcff": "mine\n",
        "base/link": "-> ../../elsewhere",
        "empty/inner": "<folder>",
        "own/pipe": "<special>",
        "own/locked": "<folder>",
    }


def test_other_peoples_files_stay(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    mine = foreign(tmp_path / "out")
    compile_to(tmp_path, NEW)
    assert owned_tree(tmp_path / "out") == {**NEW, **mine}


def test_other_peoples_files_keep_inode_time_and_mode(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    foreign(tmp_path / "out")
    names = ["README.md", "own/deep/er/x.sh", "own/pipe", "base/link"]
    before = stamps(tmp_path / "out")
    compile_to(tmp_path, NEW)
    after = stamps(tmp_path / "out")
    assert [after[str(tmp_path / "out" / n)] for n in names] == [before[str(tmp_path / "out" / n)] for n in names]


def test_other_peoples_folders_keep_time_and_mode(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    foreign(tmp_path / "out")
    name = str(tmp_path / "out/own/locked")
    before = stamps(tmp_path / "out")[name]
    compile_to(tmp_path, NEW)
    assert stamps(tmp_path / "out")[name][1:] == before[1:]


def test_nothing_is_left_beside_out(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    foreign(tmp_path / "out")
    compile_to(tmp_path, NEW)
    names = tuple(sorted(p.name for p in folder.iterdir()) for folder in (tmp_path, tmp_path / ".gpuc-work"))
    assert names == ([".gpuc-work", "out"], [".gitignore", "lock", "written"])


@pytest.mark.parametrize("force", [False, True], ids=["plain", "force"])
@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda out: write(out / "base/d.yaml", "mine\n"), "out/base/d.yaml"),
        (lambda out: write(out / "base/d.yaml/x", "mine\n"), "out/base/d.yaml"),
        (lambda out: (out / "base/d.yaml").symlink_to("a.yaml"), "out/base/d.yaml"),
        (lambda out: os.mkfifo(out / "base/d.yaml"), "out/base/d.yaml"),
        (lambda out: write(out / "base/D.yaml", "mine\n"), "out/base/D.yaml"),
        (lambda out: write(out / "BASE/x.yaml", "mine\n"), "out/BASE"),
        (lambda out: (out / "base/d.yaml").mkdir(), "out/base/d.yaml"),
    ],
    ids=["file", "folder", "link", "pipe", "other case", "folder in other case", "empty folder"],
)
def test_something_of_others_in_the_way_is_named_and_stays(
    tmp_path: Path, make: object, named: str, *, force: bool
) -> None:
    compile_to(tmp_path, OLD)
    assert callable(make)
    make(tmp_path / "out")
    before = stamps(tmp_path)
    with pytest.raises(InputError) as caught:
        compile_to(tmp_path, NEW, force=force)
    first = caught.value.diagnostics[0]
    assert (first.rule, first.place and first.place.path, stamps(tmp_path)) == ("GPU903", named, before)


@pytest.mark.parametrize("name", ["file", "link"])
def test_a_foreign_file_or_link_where_a_folder_must_be_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    if name == "file":
        write(tmp_path / "out/base", "mine\n")
    else:
        (tmp_path / "out/base").symlink_to("../elsewhere")
    with pytest.raises(InputError) as caught:
        compile_to(tmp_path, OLD)
    places = [str(d.place) for d in caught.value.diagnostics]
    assert (places, list((tmp_path / "elsewhere").iterdir())) == (["out/base:1:1"], [])


def test_a_foreign_file_that_is_already_right_becomes_owned(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    (tmp_path / "out/.gpuc.json").unlink()
    compile_to(tmp_path, OLD)
    compile_to(tmp_path, NEW)
    assert owned_tree(tmp_path / "out") == NEW


def test_out_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").symlink_to("elsewhere")
    with pytest.raises(InputError, match="symbolic link"):
        compile_to(tmp_path, OLD)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_out_that_is_a_file_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "out", "mine\n")
    with pytest.raises(InputError, match="not a folder"):
        compile_to(tmp_path, OLD)
    assert (tmp_path / "out").read_text() == "mine\n"


@pytest.mark.parametrize("name", [".gpuc-work", ".gpuc-work/lock"])
def test_a_work_folder_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    elsewhere = write(tmp_path / "elsewhere/precious", "mine\n").parent
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).symlink_to(elsewhere if name == ".gpuc-work" else elsewhere / "precious")
    with pytest.raises(InputError, match="follows no link"):
        compile_to(tmp_path, OLD)
    assert tree(elsewhere) == {"precious": "mine\n"}


@pytest.mark.parametrize("name", ["new", "old", "written", "written.new", ".gitignore"])
def test_links_planted_in_the_work_folder_are_not_followed(tmp_path: Path, name: str) -> None:
    elsewhere = write(tmp_path / "elsewhere/precious", "mine\n").parent
    (tmp_path / ".gpuc-work").mkdir()
    (tmp_path / ".gpuc-work" / name).symlink_to(elsewhere / "precious" if name[0] in "w." else elsewhere)
    compile_to(tmp_path, OLD)
    assert (tree(elsewhere), owned_tree(tmp_path / "out")) == ({"precious": "mine\n"}, OLD)


def test_an_owned_file_that_became_a_link_is_not_written_through(tmp_path: Path) -> None:
    precious = write(tmp_path / "precious", "mine\n")
    compile_to(tmp_path, OLD)
    (tmp_path / "out/base/a.yaml").unlink()
    (tmp_path / "out/base/a.yaml").symlink_to(precious)
    with pytest.raises(InputError, match=r"out/base/a\.yaml is a symbolic link"):
        compile_to(tmp_path, NEW, force=True)
    assert precious.read_text() == "mine\n"


def test_a_stale_owned_file_that_became_a_link_stays(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    (tmp_path / "out/base/b/c.yaml").unlink()
    (tmp_path / "out/base/b/c.yaml").symlink_to("/etc/hostname")
    compile_to(tmp_path, NEW)
    assert owned_tree(tmp_path / "out") == {**NEW, "base/b/c.yaml": "-> /etc/hostname"}


def test_an_owned_folder_that_became_a_link_is_not_written_through(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    (tmp_path / "out/base").rename(tmp_path / "elsewhere")
    (tmp_path / "out/base").symlink_to("../elsewhere")
    before = tree(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="out/base is a symbolic link"):
        compile_to(tmp_path, NEW, force=True)
    assert tree(tmp_path / "elsewhere") == before


def manifest(*paths: str) -> str:
    lines = ",\n".join(f'    "{path}"' for path in paths)
    return f'{{\n  "version": 1,\n  "files": [\n{lines}\n  ]\n}}\n'


@pytest.mark.parametrize(
    "text",
    [
        manifest("../precious"),
        manifest("/etc/hostname"),
        manifest("base/../../precious"),
        manifest("base\\\\x"),
        manifest("a\\u0000b"),
        manifest(".git/config"),
        manifest("e\\u0301"),
        manifest("\\ud800"),
        '{"version": 1, "files": [1]}',
        '{"version": 1, "files": [], "extra": 1}',
        '{"version": 2, "files": []}',
        "[" * 100_000,
        "hello\n",
        '    "a" "b"\n',
    ],
)
def test_a_hostile_manifest_is_refused_and_names_itself(tmp_path: Path, text: str) -> None:
    precious = write(tmp_path / "precious", "mine\n")
    compile_to(tmp_path, OLD)
    write(tmp_path / "out/.gpuc.json", text)
    before = stamps(tmp_path)
    with pytest.raises(InputError) as caught:
        compile_to(tmp_path, NEW, force=True)
    rules = {(d.rule, d.place and d.place.path) for d in caught.value.diagnostics}
    assert (rules, stamps(tmp_path), precious.read_text()) == ({("GPU905", "out/.gpuc.json")}, before, "mine\n")


@pytest.mark.parametrize("data", [b"\xff\xfe", b" " * (5 << 20), b" " * (17 << 20)], ids=["binary", "5 MiB", "17 MiB"])
def test_a_manifest_that_is_no_small_text_is_refused(tmp_path: Path, data: bytes) -> None:
    compile_to(tmp_path, OLD)
    (tmp_path / "out/.gpuc.json").write_bytes(data)
    assert [d.rule for d in plan(tmp_path, NEW).blocked] == ["GPU905"]


def test_a_hostile_manifest_names_the_line(tmp_path: Path) -> None:
    write(tmp_path / "out/.gpuc.json", manifest("base/a.yaml", "../precious"))
    (found,) = plan(tmp_path, OLD).blocked
    assert str(found.place) == "out/.gpuc.json:5:1"


def test_a_manifest_that_claims_somebodys_uncommitted_file_does_not_delete_it(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    compile_to(tmp_path, OLD)
    write(tmp_path / "out/.gpuc.json", manifest(*OLD, "notes.txt"))
    commit_all(tmp_path)
    write(tmp_path / "out/notes.txt", "mine\n")
    with pytest.raises(InputError, match=r"out/notes\.txt is not what gpuc wrote"):
        compile_to(tmp_path, OLD)
    assert (tmp_path / "out/notes.txt").read_text() == "mine\n"


def test_a_manifest_reformatted_on_one_line_is_understood(tmp_path: Path) -> None:
    compile_to(tmp_path, OLD)
    write(tmp_path / "out/.gpuc.json", '{"version":1,"files":["base/b/c.yaml"]}')
    assert plan(tmp_path, OLD).changed == (".gpuc.json",)
