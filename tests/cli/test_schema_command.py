"""`gpuc schema` writes the schemas, and `--check` says whether they are current."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.inputschema import schemas
from tests.inputs.project import gpuc, write
from tests.write.support import tree

Capture = pytest.CaptureFixture[str]


def test_it_writes_both_schemas_beside_the_inputs(tmp_path: Path, capsys: Capture) -> None:
    result = gpuc(capsys, "schema", "--root", write(tmp_path))
    assert (result.code, result.stdout.splitlines()) == (0, [f"{name} written" for name in schemas()])
    assert {name: (tmp_path / name).read_text(encoding="utf-8") for name in schemas()} == schemas()


def test_written_schemas_are_current(tmp_path: Path, capsys: Capture) -> None:
    write(tmp_path)
    gpuc(capsys, "schema", "--root", tmp_path)
    for arguments in ([], ["--check"]):
        result = gpuc(capsys, "schema", "--root", tmp_path, *arguments)
        assert (result.code, result.stdout) == (0, "schemas are current\n")


def test_check_finds_a_stale_schema_and_writes_nothing(tmp_path: Path, capsys: Capture) -> None:
    write(tmp_path, {"base/gpustack.schema.json": "{}\n"})
    before = tree(tmp_path)
    result = gpuc(capsys, "schema", "--root", tmp_path, "--check")
    assert result.code == 4
    assert result.stdout.splitlines() == [f"{name} is stale" for name in schemas()]
    assert tree(tmp_path) == before


def test_the_shipped_schemas_are_current(capsys: Capture) -> None:
    assert gpuc(capsys, "schema", "--root", Path(__file__).parents[2], "--check").code == 0


@pytest.mark.parametrize("link", ["base", "base/gpustack.schema.json"])
def test_it_never_writes_through_a_link(link: str, tmp_path: Path, capsys: Capture) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    root = tmp_path / "project"
    (root / link).parent.mkdir(parents=True)
    (root / link).symlink_to(outside / "x" if "." in link else outside)
    result = gpuc(capsys, "schema", "--root", root)
    assert result.code == 5
    assert "symbolic link" in result.stderr
    assert list(outside.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_5(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "base").write_text("a file\n", encoding="utf-8")
    result = gpuc(capsys, "schema", "--root", tmp_path)
    assert result.code == 5
    assert "cannot be written" in result.stderr


def test_a_schema_that_is_not_text_is_replaced(tmp_path: Path, capsys: Capture) -> None:
    write(tmp_path, {"base/gpustack.schema.json": b"\xff\xfe"})
    assert gpuc(capsys, "schema", "--root", tmp_path).code == 0
