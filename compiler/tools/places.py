"""Where built tools are kept, and how a good one is recognised without running it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from compiler.tools import pins

_PROGRAM_ROOT: Final = Path(__file__).resolve().parents[2]


def tools_folder() -> Path:
    """Return the folder that holds this gpuc's tools; it may not exist yet.

    For a gpuc that runs from its own checkout it is `.tools/bin` there. It is never in the repository that is being
    compiled: that is input, and a program in it is not to be run. Otherwise it is in the user's cache folder, and its
    name changes with the pins, so that two versions of gpuc do not replace each other's tools.

    Raises:
        RuntimeError: there is neither XDG_CACHE_HOME nor a home folder.
    """
    if _is_checkout(_PROGRAM_ROOT):
        return _PROGRAM_ROOT / ".tools" / "bin"
    import hashlib  # noqa: PLC0415  # 2 ms that a checkout need not pay at every start

    named = "\n".join(pins.fingerprint(name) for name in pins.NAMES)
    return _user_cache() / "gpuc" / f"tools-{hashlib.sha256(named.encode()).hexdigest()[:16]}"


def is_built(folder: Path, name: str, fingerprint: str) -> bool:
    """Say whether `folder` has the tool of this fingerprint, whole, as `mark_built` left it."""
    return _matches(_stamp(folder, name), folder / name, fingerprint)


def mark_built(folder: Path, name: str, fingerprint: str) -> None:
    """Record that the tool in `folder` is whole and of this fingerprint."""
    _replace_text(_stamp(folder, name), _stamp_text(folder / name, fingerprint))


def is_approved(folder: Path, name: str, program: Path, fingerprint: str) -> bool:
    """Say whether this very program, found on PATH, was seen to be the pinned version before."""
    return _matches(_approval(folder, name), program, f"{program}\n{fingerprint}")


def mark_approved(folder: Path, name: str, program: Path, fingerprint: str) -> None:
    """Record that a program on PATH is the pinned version."""
    _replace_text(_approval(folder, name), _stamp_text(program, f"{program}\n{fingerprint}"))


def _stamp(folder: Path, name: str) -> Path:
    return folder / f".{name}.built"


def _approval(folder: Path, name: str) -> Path:
    return folder / f".{name}.on-path"


def _stamp_text(program: Path, fingerprint: str) -> str:
    """Say which file this is: a program that was replaced, cut short or touched no longer matches its record."""
    status = program.stat()
    return f"{status.st_size} {status.st_mtime_ns}\n{fingerprint}"


def _matches(record: Path, program: Path, fingerprint: str) -> bool:
    try:
        return record.read_text(encoding="utf-8") == _stamp_text(program, fingerprint)
    except (OSError, UnicodeDecodeError):
        return False


def _replace_text(path: Path, text: str) -> None:
    """Write a small file in one step."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def _is_checkout(root: Path) -> bool:
    """Say whether gpuc runs from its source tree: a folder of installed packages has no pyproject.toml."""
    return (root / "pyproject.toml").is_file()


def _user_cache() -> Path:
    """Return the user's cache folder; the XDG Base Directory Specification says to ignore a relative XDG_CACHE_HOME."""
    configured = os.environ.get("XDG_CACHE_HOME", "")
    return Path(configured) if Path(configured).is_absolute() else Path.home() / ".cache"
