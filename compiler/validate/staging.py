"""A folder beside out/ in which a tree is laid out for the tools, and which never outlives its use."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp
from typing import Final

from compiler.diagnostics import Diagnostic
from compiler.errors import EnvironmentFailure
from compiler.validate import codes

PREFIX: Final = ".gpuc-staging-"


@contextmanager
def staging(parent: Path) -> Iterator[Path]:
    """Make an empty folder below `parent`, and remove it with all that is in it, whatever happens.

    Raises:
        EnvironmentFailure: the folder cannot be made, or a file in it not written (also from within the block).
    """
    folder: Path | None = None
    try:
        folder = Path(mkdtemp(prefix=PREFIX, dir=parent)).resolve()
        yield folder
    except OSError as error:
        reason = error.strerror or str(error)
        message = f"the manifests could not be laid out for checking below {parent}: {reason}; out/ is as it was"
        cure = f"see that {parent} is writable and its disk has room"
        raise EnvironmentFailure(Diagnostic(codes.NO_STAGING, message, help=cure)) from error
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write texts below a folder, by path relative to it.

    Raises:
        ValueError: a path leads out of the folder.
        OSError: a file cannot be written.
    """
    made: set[Path] = set()
    for name, text in files.items():
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or ".." in parts or "\0" in name:
            raise ValueError(f"not a path below out/: {name!r}")
        path = folder.joinpath(*parts)
        if path.parent not in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            made.add(path.parent)
        path.write_bytes(text.encode("utf-8"))
