"""Laws that hold for any old tree, any new tree, and any files of others."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compiler.diagnostics import Diagnostic
from compiler.errors import InputError
from compiler.write import claims, differences, plan
from compiler.write.paths import folded, problem
from tests.write.support import compile_to, owned_tree, stamps, tree, write

NAMES = st.sampled_from(["a", "b", "A", "c.yaml", "é"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
ANY = st.characters(exclude_categories=["C"], exclude_characters="/:\\")
TEXTS = st.sampled_from(["", "x: 1\n", "x: 2\n", "ä"])


def possible(files: Mapping[str, str]) -> bool:
    """Return whether a file system that ignores case can hold these paths, none of them below another."""
    paths = {folded(path) for path in files}
    spelled = {
        part for path in files for part in [path[: n or None] for n in range(len(path)) if path[n] == "/" or not n]
    }
    return (
        len(paths) == len(files)
        and len({folded(part) for part in spelled}) == len(spelled)
        and not any(other.startswith(f"{path}/") for path in paths for other in paths)
    )


TREES = st.dictionaries(PATHS, TEXTS, max_size=5).filter(possible)
FOREIGN = st.dictionaries(PATHS, st.just("mine\n"), max_size=4).filter(possible)


@pytest.fixture(autouse=True, scope="module")
def without_syncing() -> object:
    """Leave the disk in peace: these trees are made and thrown away thousands of times."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


def put(root: Path, files: Mapping[str, str]) -> dict[str, str]:
    """Put other people's files where nothing is in their way, and return those that fitted."""
    placed = {}
    for path, text in files.items():
        target = root / "out" / path
        if not os.path.lexists(target) and all(p.is_dir() for p in target.parents if p.exists()):
            write(target, text)
            placed[path] = text
    return placed


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(old=TREES, new=TREES, foreign=FOREIGN, force=st.booleans())
def test_either_everything_is_as_asked_or_nothing_changed(
    *, old: dict[str, str], new: dict[str, str], foreign: dict[str, str], force: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        compile_to(root, old)
        mine = put(root, foreign)
        before, inodes = owned_tree(root / "out"), stamps(root / "out")
        try:
            compile_to(root, new, force=force)
        except InputError as error:
            rules = {d.rule for d in error.diagnostics}
        else:
            rules = set()
        if rules:
            assert rules == {"GPU903"}
            assert (owned_tree(root / "out"), stamps(root / "out")) == (before, inodes)
        else:
            assert owned_tree(root / "out") == {**mine, **new}
            assert claims.parse((root / "out/.gpuc.json").read_bytes()) == set(new)
            kept = [str(root / "out" / path) for path in mine if path not in new]
            after = stamps(root / "out")
            assert [after[path] for path in kept] == [inodes[path] for path in kept]
            assert plan(root, new).is_current


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(old=TREES, new=TREES)
def test_there_and_back_gives_the_same_bytes(old: dict[str, str], new: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        compile_to(root, old)
        before = tree(root / "out")
        compile_to(root, new)
        compile_to(root, old)
        assert tree(root / "out") == before


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(old=TREES, new=TREES)
def test_there_is_a_difference_for_every_file_that_writing_changes(old: dict[str, str], new: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        compile_to(root, old)
        before = tree(root / "out")
        named = {difference.path.removeprefix("out/") for difference in differences(plan(root, new))}
        compile_to(root, new)
        after = tree(root / "out")
        assert named == {path for path in {*before, *after} if before.get(path) != after.get(path)}


@given(paths=st.sets(st.text(ANY, min_size=1, max_size=9).filter(lambda text: problem(text) is None)))
def test_the_manifest_gives_back_every_path(paths: set[str]) -> None:
    assert claims.parse(claims.render(paths).encode()) == paths


@given(paths=st.sets(PATHS), data=st.data())
def test_the_manifest_gives_back_every_path_when_it_is_cut_by_conflict_markers(
    paths: set[str], data: st.DataObject
) -> None:
    lines = claims.render(paths).splitlines()
    for marker in ("<<<<<<< HEAD", "||||||| base", "=======", ">>>>>>> theirs"):
        lines.insert(data.draw(st.integers(0, len(lines))), marker)
    assert claims.parse("\n".join(lines).encode()) == paths


@given(content=st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
def test_any_manifest_is_understood_or_refused_in_words(content: bytes) -> None:
    try:
        found: list[Diagnostic] = []
        for path in claims.parse(content):
            assert problem(path) is None
    except InputError as error:
        found = error.diagnostics
    assert all(d.help and d.place and d.message.isprintable() for d in found)


@given(path=st.text(max_size=30) | st.lists(st.sampled_from(["..", ".", "", "a", ".git", "b\\", "\0"])).map("/".join))
def test_an_accepted_path_stays_inside(path: str) -> None:
    if problem(path) is None:
        assert os.path.normpath(os.path.join("/out", path)) == f"/out/{path}"  # noqa: PTH118
        assert ".git" not in path.casefold().split("/")
