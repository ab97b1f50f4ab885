"""The same inputs give the same bytes, whatever surrounds the run and however the inputs order their keys."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from compiler.load import load_document
from compiler.pipeline import build
from tests.determinism.digests import digest
from tests.golden.stored import CASES, HERE, inputs

REPOSITORY = Path(__file__).parents[2]
ROOTS = [REPOSITORY, *(HERE / case for case in CASES)]
IDS = ["shipped", *CASES]


@pytest.fixture(scope="module")
def expected() -> list[str]:
    return [digest(root) for root in ROOTS]


def start(
    env: Mapping[str, str], cwd: Path = REPOSITORY, umask: int = 0o022, roots: Sequence[Path] = ROOTS
) -> subprocess.Popen[str]:
    """Start a run over the projects in an environment that is otherwise empty."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.determinism.digests", *map(str, roots)],
        env={"PYTHONPATH": str(REPOSITORY), "PATH": os.defpath, **env},
        cwd=cwd,
        umask=umask,
        stdout=subprocess.PIPE,
        text=True,
    )


def result(process: subprocess.Popen[str]) -> tuple[dict[str, Any], list[str]]:
    stdout, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    said = json.loads(stdout)
    return said["seen"], said["digests"]


# Of the projects that between them use every component and setting; a process costs more than compiling.
SEEDED = [IDS.index(name) for name in ("shipped", "settings", "everything-managed", "two-pools")]


@pytest.mark.parametrize("first", [0, 7, 14])
def test_the_hash_seed_does_not_matter(first: int, expected: list[str]) -> None:
    roots = [ROOTS[index] for index in SEEDED]
    hashes = set()
    for seed in range(first, first + 7):
        seen, digests = result(start({"PYTHONHASHSEED": str(seed)}, roots=roots))
        hashes.add(seen["hashed"])
        assert digests == [expected[index] for index in SEEDED]
    assert len(hashes) > 3  # the seeds did what they are for


@pytest.fixture(scope="module")
def turkish(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a folder with the Turkish locale, in which I is not the capital of i."""
    localedef = shutil.which("localedef")
    if localedef is None:
        pytest.skip("localedef is not installed, so there is no Turkish locale")
    folder = tmp_path_factory.mktemp("locales")
    made = subprocess.run(
        [localedef, "-i", "tr_TR", "-f", "UTF-8", str(folder / "tr_TR.UTF-8")], capture_output=True, check=False
    )
    if not (folder / "tr_TR.UTF-8").is_dir():
        pytest.skip(f"localedef cannot make the Turkish locale: {made.stderr.decode(errors='replace')[:200]}")
    return str(folder)


@pytest.mark.parametrize("name", ["C", "C.UTF-8", "POSIX"])
def test_the_locale_does_not_matter(name: str, expected: list[str]) -> None:
    seen, digests = result(start({"LC_ALL": name}))
    assert (seen["lower"].replace("utf8", "UTF-8"), digests) == ({"POSIX": "C"}.get(name, name), expected)


def test_a_turkish_locale_does_not_matter(turkish: str, expected: list[str]) -> None:
    seen, digests = result(start({"LC_ALL": "tr_TR.UTF-8", "LOCPATH": turkish}))
    assert (seen["lower"], digests) == ("tr_TR.UTF-8", expected)


@pytest.mark.parametrize("zone", ["UTC0", "NZST-12NZDT"])
def test_the_time_zone_does_not_matter(zone: str, expected: list[str]) -> None:
    seen, digests = result(start({"TZ": zone}))
    assert (seen["zone"], digests) == (zone[: 3 if zone.startswith("UTC") else 4], expected)


def test_the_umask_does_not_matter(expected: list[str]) -> None:
    seen, digests = result(start({}, umask=0o077))
    assert (seen["umask"], digests) == ("077", expected)


def test_the_working_directory_does_not_matter(tmp_path: Path, expected: list[str]) -> None:
    seen, digests = result(start({}, cwd=tmp_path))
    assert (seen["cwd"], digests) == (str(tmp_path), expected)


def copy(root: Path, to: Path, change: Callable[[Path], str | bytes]) -> Path:
    """Copy a project's inputs, with the stack and the overlays changed; patch files stay as they are."""
    for part in ("base", "overlays"):
        for path in (root / part).rglob("*"):
            target = to / path.relative_to(root)
            if not path.is_file() or path.suffix == ".json":
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            content = change(path) if path.name in {"stack.yaml", "overlay.yaml"} else path.read_bytes()
            target.write_bytes(content.encode() if isinstance(content, str) else content)
    return to


def shuffled(value: Any, dice: random.Random) -> Any:
    """Return the same data with the keys of every mapping in another order; lists keep theirs."""
    if isinstance(value, list):
        return [shuffled(item, dice) for item in value]
    if not isinstance(value, dict):
        return value
    keys = list(value)
    dice.shuffle(keys)
    return {key: shuffled(value[key], dice) for key in keys}


@pytest.mark.parametrize("root", ROOTS, ids=IDS)
def test_the_order_of_keys_does_not_matter(root: Path, tmp_path: Path) -> None:
    expected = digest(root)
    for seed in range(5):
        dice = random.Random(seed)  # noqa: S311 -- no secret
        other = copy(
            root,
            tmp_path / str(seed),
            lambda path, dice=dice: json.dumps(shuffled(load_document(path, root).data, dice), indent=1),  # type: ignore[misc]
        )
        assert digest(other) == expected


@pytest.mark.parametrize("root", ROOTS, ids=IDS)
def test_line_ends_and_byte_order_marks_do_not_matter(root: Path, tmp_path: Path) -> None:
    endings: Sequence[Callable[[bytes], bytes]] = (
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"),
        lambda data: data.rstrip(b"\n"),
    )
    expected = digest(root)
    for number, change in enumerate(endings):
        other = copy(root, tmp_path / str(number), lambda path, change=change: change(path.read_bytes()))  # type: ignore[misc]
        assert digest(other) == expected


@pytest.mark.parametrize("root", ROOTS, ids=IDS)
def test_nothing_in_out_names_the_folder_it_was_compiled_in(root: Path, tmp_path: Path) -> None:
    other = copy(root, tmp_path / "a-folder-of-its-own", lambda path: path.read_bytes())
    text = "\n".join(f"{path}\n{content}" for path, content in build(other).files.items())
    assert [word for word in ("a-folder-of-its-own", str(tmp_path)) if word in text] == []


def test_every_golden_project_is_compared() -> None:
    assert len(ROOTS) > 10
    assert all(inputs(case) for case in CASES)
