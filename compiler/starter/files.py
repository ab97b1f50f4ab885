"""Writes new files below the root: all of them or none, over nothing that exists, and through no symbolic link."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from compiler.diagnostics import Diagnostic, Place
from compiler.errors import EnvironmentFailure, InputError
from compiler.write import disk

EXISTS = "GPU071"


def refuse_existing(root: Path, paths: Mapping[str, str], cure: str) -> None:
    """Raise InputError where one of the files exists, or something stands where its folder belongs."""
    found = []
    for path in paths:
        for above in [*reversed(Path(path).parents)][1:]:
            if (root / above).is_symlink():
                message = f"{above.as_posix()} is a symbolic link: gpuc does not write through one"
                raise EnvironmentFailure(Diagnostic("GPU063", message, help="replace the link by a folder of its own"))
        if os.path.lexists(root / path):
            found.append(Diagnostic(EXISTS, f"{path} exists: gpuc never overwrites an input", Place(path), help=cure))
    if found:
        raise InputError(found)


def write_new(root: Path, files: Mapping[str, str]) -> None:
    """Write files by their paths relative to `root`. Raises EnvironmentFailure; nothing is left behind then."""
    made: list[tuple[Path, bool]] = []
    with disk.failures("writing the inputs"):
        try:
            for path, text in files.items():
                _write(root, Path(path), text.encode("utf-8"), made)
        except BaseException:
            for path_made, is_folder in reversed(made):
                with suppress(OSError):
                    (root / path_made).rmdir() if is_folder else (root / path_made).unlink()
            raise


def _write(root: Path, path: Path, data: bytes, made: list[tuple[Path, bool]]) -> None:
    with ExitStack() as opened:
        parent = opened.enter_context(disk.root_folder(root))
        for folder in [*reversed(path.parents)][1:]:
            with suppress(FileExistsError):
                os.mkdir(folder.name, dir_fd=parent)
                made.append((folder, True))
            parent = opened.enter_context(disk.folder(folder.name, parent))
        made_file = disk.create(path.name, parent, data)
        made.append((path, False))
        disk.sync([made_file])
