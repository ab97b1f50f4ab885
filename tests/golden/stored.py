"""Keeps the expected out/ of every case: whole for the case `plain`, and for the others what differs from it.

In a case's `same.txt` each line is a file of its out/ that is the same, byte for byte, as a file of plain's out/; where
that one has another path, the path follows after ` = `.
"""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree

HERE = Path(__file__).parent
PLAIN = "plain"
CASES = sorted(stack.parents[1].name for stack in HERE.glob("*/base/stack.yaml"))


def inputs(case: str) -> dict[str, str]:
    """Return the inputs of a case by path."""
    folder = HERE / case
    found = [path for part in ("base", "overlays") for path in (folder / part).rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in found}


def expected(case: str) -> dict[str, str]:
    """Return the stack that a case must compile to, by path below out/."""
    files = _files(HERE / case / "out")
    if case == PLAIN:
        return files
    plain = _files(HERE / PLAIN / "out")
    for line in (HERE / case / "same.txt").read_text("utf-8").splitlines():
        path, _, other = line.partition(" = ")
        files[path] = plain[other or path]
    return files


def store(case: str, files: dict[str, str]) -> None:
    """Make `files` what a case must compile to."""
    out = HERE / case / "out"
    rmtree(out, ignore_errors=True)
    plain = {} if case == PLAIN else _files(HERE / PLAIN / "out")
    same = []
    for path, text in sorted(files.items()):
        other = _twin(path, text, plain)
        if other:
            same.append(path if other == path else f"{path} = {other}")
        else:
            (out / path).parent.mkdir(parents=True, exist_ok=True)
            (out / path).write_text(text, "utf-8")
    if case != PLAIN:
        (HERE / case / "same.txt").write_text("".join(f"{line}\n" for line in same), "utf-8")


def _files(folder: Path) -> dict[str, str]:
    found = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in found}


def _twin(path: str, text: str, plain: dict[str, str]) -> str | None:
    """Return the path of plain's file with the same text: under the same path, or under the same name."""
    if plain.get(path) == text:
        return path
    name = path.rpartition("/")[2]
    return next((other for other in sorted(plain) if plain[other] == text and other.endswith(f"/{name}")), None)
