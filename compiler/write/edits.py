"""Hand edits that compiling would lose.

Bytes may be overwritten or deleted if gpuc wrote them here itself, if HEAD has them, or if git made them in a merge
that waits to be finished. Anything else could be somebody's work.
"""

from __future__ import annotations

import re

from compiler.diagnostics import Diagnostic, Place
from compiler.write.comparison import Plan
from compiler.write.git import GitState, blob_ids, read_git
from compiler.write.paths import in_out, shown
from compiler.write.record import digest

# What git writes around the two sides of a conflict, in this order.
_CONFLICT = tuple(re.compile(mark, re.MULTILINE) for mark in (rb"^<{7} ", rb"^={7}\r?$", rb"^>{7} "))
_NAMED_LINES = 3


def find_hand_edits(plan: Plan, written: frozenset[str]) -> list[Diagnostic]:
    """Return a finding for every owned file whose bytes would be lost; `written` are the digests of gpuc's own.

    Git is asked only if there is a file that gpuc did not write here itself.
    """
    doubtful = [path for path in (*plan.changed, *plan.removed) if not _known(plan.entries[path].data, written)]
    if not doubtful:
        return []
    git = read_git(plan.root)
    return [_finding(plan, path, git) for path in doubtful if not _recoverable(path, plan.entries[path].data, git)]


def _known(data: bytes | None, written: frozenset[str]) -> bool:
    return data is not None and digest(data) in written


def _recoverable(path: str, data: bytes | None, git: GitState) -> bool:
    """Return True if git has these bytes, or made them out of what it has."""
    if path in git.unmerged:
        return True
    if data is None:
        return False
    if _holds_conflict(data):
        return True
    blobs = set(git.staged.get(path, ())) if git.merging else set()
    blobs |= {git.committed[path]} if path in git.committed else set()
    return any(blob in blob_ids(data, blob) for blob in blobs)


def _holds_conflict(data: bytes) -> bool:
    position = 0
    for mark in _CONFLICT:
        found = mark.search(data, position)
        if found is None:
            return False
        position = found.end()
    return True


def _finding(plan: Plan, path: str, git: GitState) -> Diagnostic:
    wanted = plan.files.get(path)
    line, text, how = _first_difference(plan.entries[path].data, wanted)
    state = (
        f"gpuc cannot tell a hand edit in it from its own work ({git.missing})"
        if git.missing
        else "it was edited by hand"
    )
    loses = "delete it" if wanted is None else f"undo that ({how})"
    where = in_out(path)
    return Diagnostic(
        "GPU904",
        f"{where} is not what gpuc wrote, and not committed: {state}, and compiling would {loses}",
        Place(where, line, 1, max(1, len(text)), text),
        help="say it in the inputs or in a patch of the overlay and undo the edit "
        f"(`git checkout HEAD -- {where}`); or commit it, which keeps it in git's history, though the next compile "
        "undoes it; or lose it with `--force`",
    )


def _first_difference(data: bytes | None, wanted: bytes | None) -> tuple[int, str, str]:
    """Return the line number and text of the first line that differs, and how in words."""
    if data is None:
        return 1, "", "the file is too large to compare"
    old = data.decode("utf-8", "backslashreplace").split("\n")
    new = [] if wanted is None else wanted.decode().split("\n")
    length = max(len(old), len(new))
    differing = [n for n in range(length) if old[n : n + 1] != new[n : n + 1]]
    first = differing[0]
    named = [f"line {n + 1}: {_line(old, n)} becomes {_line(new, n)}" for n in differing[:_NAMED_LINES]]
    more = f"; {len(differing) - _NAMED_LINES} more lines" if len(differing) > _NAMED_LINES else ""
    return first + 1, shown(old[first]) if first < len(old) else "", "; ".join(named) + more


def _line(lines: list[str], number: int) -> str:
    return f"`{shown(lines[number].strip(), 80)}`" if number < len(lines) else "nothing"
