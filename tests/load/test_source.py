"""Which files are read at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from compiler.errors import EnvironmentFailure, ExitCode, InputError
from compiler.load import load_document


def only_code(error: InputError | EnvironmentFailure) -> str:
    (finding,) = error.diagnostics
    return finding.rule


def refused(path: Path, root: Path) -> str:
    with pytest.raises(InputError) as caught:
        load_document(path, root)
    return only_code(caught.value)


def test_a_file_is_named_relative_to_the_root(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    (tmp_path / "base/stack.yaml").write_text("a: 1\n")
    assert load_document(tmp_path / "base" / "stack.yaml", tmp_path).path == "base/stack.yaml"


def test_the_working_directory_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "f.yaml").write_text("a: 1\n")
    monkeypatch.chdir(tmp_path)
    assert load_document(Path("f.yaml"), Path()).path == "f.yaml"


def test_a_missing_file(tmp_path: Path) -> None:
    assert refused(tmp_path / "f.yaml", tmp_path) == "GPU001"


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "f.yaml").mkdir()
    assert refused(tmp_path / "f.yaml", tmp_path) == "GPU001"


def test_a_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "f.yaml")
    assert refused(tmp_path / "f.yaml", tmp_path) == "GPU001"


def test_a_link_out_of_the_root(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret.yaml").write_text("a: 1\n")
    (root / "f.yaml").symlink_to("../secret.yaml")
    assert refused(root / "f.yaml", root) == "GPU002"


def test_a_link_to_a_device(tmp_path: Path) -> None:
    (tmp_path / "f.yaml").symlink_to("/dev/zero")
    assert refused(tmp_path / "f.yaml", tmp_path) == "GPU002"


def test_a_path_out_of_the_root(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "f.yaml").write_text("a: 1\n")
    assert refused(root / ".." / "f.yaml", root) == "GPU002"


def test_a_link_inside_the_root_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real.yaml").write_text("a: 1\n")
    (tmp_path / "f.yaml").symlink_to("real.yaml")
    assert load_document(tmp_path / "f.yaml", tmp_path).data == {"a": 1}


def test_a_root_that_is_a_link_itself(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/f.yaml").write_text("a: 1\n")
    (tmp_path / "root").symlink_to("real")
    assert load_document(tmp_path / "root" / "f.yaml", tmp_path / "root").data == {"a": 1}


def test_a_link_to_nowhere(tmp_path: Path) -> None:
    (tmp_path / "f.yaml").symlink_to("gone.yaml")
    assert refused(tmp_path / "f.yaml", tmp_path) == "GPU001"


def test_a_link_to_itself_is_a_failure_not_a_loop(tmp_path: Path) -> None:
    (tmp_path / "f.yaml").symlink_to("f.yaml")
    with pytest.raises(EnvironmentFailure) as caught:
        load_document(tmp_path / "f.yaml", tmp_path)
    assert only_code(caught.value) == "GPU003"


def test_a_large_file_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    assert refused(path, tmp_path) == "GPU004"


def test_exactly_1_mib_is_read(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(b"a: 1\n#" + b"x" * ((1 << 20) - 6))
    assert load_document(path, tmp_path).data == {"a": 1}


def test_no_permission_is_a_failure_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "f.yaml").write_text("a: 1\n")

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(EnvironmentFailure) as caught:
        load_document(tmp_path / "f.yaml", tmp_path)
    assert (only_code(caught.value), caught.value.exit_code) == ("GPU003", ExitCode.ENVIRONMENT)
    assert str(caught.value) == "cannot read f.yaml: Permission denied"
