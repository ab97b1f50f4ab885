"""Which paths may appear in `out/`, and how a path is shown to a person.

A path here is relative to `out/`, with forward slashes. It comes from the compiler or from `out/.gpuc.json`, and the
latter is hostile input: a pull request can put anything there.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

OUT = "out"
MANIFEST = ".gpuc.json"
MAX_BYTES = 1024
MAX_NAME_BYTES = 255
MAX_DEPTH = 64

_PLAIN = re.compile(r"[a-z0-9_][a-z0-9_.-]*[a-z0-9_-](?:/[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_-])?)*")
# Short names that NTFS gives to .git, and names it reads as .git after stripping.
_GIT_NAMES = {".git", "git~1"}


def problem(path: str) -> str | None:
    """Say why a path may not be in `out/`, or return None if it may.

    Refused is what leaves `out/`, what git or another file system reads differently, and what a terminal would hide.
    """
    if len(path) < MAX_NAME_BYTES and _PLAIN.fullmatch(path):
        return None
    if path.startswith("/"):
        return "it is absolute"
    for char in path:
        if char in "\\:" or unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"}:
            return f"it contains the character U+{ord(char):04X}"
    if not unicodedata.is_normalized("NFC", path):
        return "it is not in Unicode normal form C"
    names = path.split("/")
    if len(names) > MAX_DEPTH or len(path.encode()) > MAX_BYTES:
        return "it is too long or too deep"
    return next((found for name in names if (found := _name_problem(name))), None)


def _name_problem(name: str) -> str | None:
    """Say why one name between slashes is refused, or return None."""
    if name in {"", ".", ".."}:
        return f"it has the part {name!r}"
    if name[-1] in ". ":
        return f"the name {name!r} ends with a dot or a space"
    if name.casefold() in _GIT_NAMES:
        return f"{name!r} belongs to git"
    if len(name.encode()) > MAX_NAME_BYTES:
        return f"a name is longer than {MAX_NAME_BYTES} bytes"
    return None


def folded(path: str) -> str:
    """Return the form in which two paths that one file system may take for the same are equal."""
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())


def parents(path: str) -> Iterator[str]:
    """Yield the folders above a path, nearest first; `out/` itself is not among them."""
    while (cut := path.rfind("/")) > 0:
        path = path[:cut]
        yield path


def with_parents(paths: Iterable[str]) -> set[str]:
    """Return the paths and every folder above them."""
    found: set[str] = set()
    for path in paths:
        found.add(path)
        for parent in parents(path):
            if parent in found:
                break
            found.add(parent)
    return found


def shown(text: str, limit: int = 200) -> str:
    """Return hostile text so that it can be printed: one line, no control characters, at most `limit` characters."""
    safe = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text[:limit])
    return safe if len(text) <= limit else f"{safe}..."


def in_out(path: str) -> str:
    """Return how a path is named to a person and in a `Place`: relative to the root, safe to print."""
    return f"{OUT}/{shown(path, MAX_BYTES)}"
