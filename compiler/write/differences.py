"""How `out/` differs from what the inputs compile to, as text for people."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Literal

from compiler.write.comparison import Plan
from compiler.write.paths import in_out

MAX_DIFF_BYTES = 512 * 1024


@dataclass(frozen=True)
class Difference:
    """One file that writing would change. `path` starts with `out/`; `diff` is a unified diff that is safe to print."""

    path: str
    kind: Literal["added", "changed", "removed"]
    diff: str


def differences(plan: Plan) -> list[Difference]:
    """Return how every file would change, by path; empty when `out/` is current."""
    found = [_difference(plan, path, "added") for path in plan.added]
    found += [_difference(plan, path, "changed") for path in plan.changed]
    found += [_difference(plan, path, "removed") for path in plan.removed]
    return sorted(found, key=lambda difference: difference.path)


def _difference(plan: Plan, path: str, kind: Literal["added", "changed", "removed"]) -> Difference:
    where = in_out(path)
    new = plan.files[path] if kind != "removed" else b""
    if kind == "added":
        return Difference(where, kind, _unified(b"", new, "/dev/null", where))
    old = plan.entries[path].data
    if old is None:
        return Difference(where, kind, f"{where} is too large to compare\n")
    return Difference(where, kind, _unified(old, new, where, "/dev/null" if kind == "removed" else where))


def _unified(old: bytes, new: bytes, old_name: str, new_name: str) -> str:
    if max(len(old), len(new)) > MAX_DIFF_BYTES:
        return f"{old_name} has {len(old)} bytes and {new_name} {len(new)}: too large to compare\n"
    lines = difflib.unified_diff(
        _lines(old), _lines(new), f"{old_name} (on disk)", f"{new_name} (compiled)", lineterm=""
    )
    return "".join(f"{line}\n" for line in lines)


def _lines(data: bytes) -> list[str]:
    """Return printable lines; control characters, which could steer a terminal, are escaped."""
    text = data.decode("utf-8", "backslashreplace")
    lines = text.split("\n")
    ended = lines[-1] == ""
    safe = ["".join(c if c.isprintable() or c == "\t" else repr(c)[1:-1] for c in line) for line in lines]
    if ended:
        return safe[:-1]
    return [*safe[:-1], *([safe[-1], "\\ No newline at end of file"] if safe[-1] else [])]
