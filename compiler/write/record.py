"""What gpuc wrote on this machine: the digests of its own files, kept beside `out/` and never committed.

This is how an earlier result that is not committed yet is told from a hand edit. It holds digests of contents, not
paths, so that a file that comes back (`git stash`, undo in an editor) is still known.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress

from compiler.write.disk import create
from compiler.write.scan import Kind, read

NAME = "written"
_NEXT = "written.new"
MINIMUM_KEPT = 5000
_TREES_KEPT = 4


def digest(data: bytes) -> str:
    """Return the digest under which a file's bytes are remembered."""
    return hashlib.sha256(data).hexdigest()


def known(work: int) -> list[str]:
    """Return the digests of what gpuc wrote, oldest first; none if there is no record."""
    entry = read(NAME, work)
    if entry is None or entry.kind is not Kind.FILE or entry.data is None:
        return []
    return entry.data.decode("ascii", "replace").split()


def remember(work: int, contents: Iterable[bytes]) -> None:
    """Add these files' digests to the record; if all are known, nothing is written."""
    digests = dict.fromkeys(digest(data) for data in contents)
    old = known(work)
    if digests.keys() <= set(old):
        return
    lines = [line for line in old if line not in digests] + list(digests)
    kept = lines[-max(MINIMUM_KEPT, _TREES_KEPT * len(digests)) :]
    with suppress(FileNotFoundError):
        os.unlink(_NEXT, dir_fd=work)
    os.close(create(_NEXT, work, "".join(f"{line}\n" for line in kept).encode()))
    os.rename(_NEXT, NAME, src_dir_fd=work, dst_dir_fd=work)
