"""A change of one value changes the lines that mean it and the name of the ConfigMap, and nothing else."""

from __future__ import annotations

import re
import subprocess
from difflib import unified_diff
from pathlib import Path

import pytest

from compiler.pipeline import build
from compiler.validate import Toolset
from tests.inputs.project import OVERLAY, edited, gpuc, write
from tests.write.support import tree

CONFIG = "overlays/worker4/pools/worker4/nvidia-device-plugin-config/config.yaml"


def changes(before: str, after: str) -> list[str]:
    """Return the lines that a unified diff without context shows."""
    return [
        line
        for line in unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
        if not line.startswith(("---", "+++", "@@"))
    ]


def test_only_lines_that_say_how_many_change(tmp_path: Path) -> None:
    before = build(write(tmp_path)).files
    after = build(write(tmp_path, {OVERLAY: edited(OVERLAY, "replicas: 5", "replicas: 6")})).files
    assert list(before) == list(after)
    changed = {path: changes(before[path], after[path]) for path in before if before[path] != after[path]}
    assert changed.pop(CONFIG) == ["-      replicas: 5", "+      replicas: 6"]
    page = changed.pop("docs/worker4.md")
    assert changed == {}
    olds, news = ([line[1:] for line in page if line[0] == sign] for sign in "-+")
    assert [re.sub(r"\b5\b", "6", line) for line in olds] == news


def test_what_is_applied_changes_in_that_line_and_the_hashed_name(tmp_path: Path, tools: Toolset) -> None:
    def built(files: dict[str, str]) -> str:
        for path, text in files.items():
            (tmp_path / "out" / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "out" / path).write_text(text, encoding="utf-8")
        command = [str(tools.kustomize), "build", str(tmp_path / "out/overlays/worker4")]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    project = tmp_path / "project"
    before = built(build(write(project)).files)
    after = built(build(write(project, {OVERLAY: edited(OVERLAY, "replicas: 5", "replicas: 6")})).files)
    (old,), (new,) = (
        set(re.findall(r"nvidia-device-plugin-config-worker4-[a-z0-9]{10}", text)) for text in (before, after)
    )
    assert old != new
    assert sorted(changes(before, after)) == sorted(
        [
            "-          replicas: 5",
            "+          replicas: 6",
            f"-  name: {old}",
            f"+  name: {new}",
            *[f"-          name: {old}"] * 2,
            *[f"+          name: {new}"] * 2,
        ]
    )


def test_changing_it_back_restores_the_old_bytes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], tools: Toolset
) -> None:
    assert tools.kustomize.is_file()
    folder = write(tmp_path)
    assert gpuc(capsys, "compile", "--root", folder).code == 0
    before = tree(folder / "out")
    write(folder, {OVERLAY: edited(OVERLAY, "replicas: 5", "replicas: 6")})
    assert gpuc(capsys, "compile", "--root", folder).stdout.endswith("out/: 2 changed\n")
    changed = tree(folder / "out")
    assert [path for path in before if before[path] != changed[path]] == ["docs/worker4.md", CONFIG]
    write(folder)
    assert gpuc(capsys, "compile", "--root", folder).code == 0
    assert tree(folder / "out") == before
