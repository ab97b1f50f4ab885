"""What stops a plan: paths that cannot be written anywhere, and other people's files in the way."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from compiler.diagnostics import Diagnostic, Place
from compiler.write.paths import MANIFEST, OUT, folded, in_out, parents, problem, shown, with_parents
from compiler.write.scan import Entries, Entry, Kind


def find_impossible(wanted: Collection[str]) -> list[Diagnostic]:
    """Return a finding for every wanted path that may not be in `out/` or that another one collides with."""
    found = [
        Diagnostic(
            "GPU901",
            f"the compiled file {shown(path)!r} cannot be in {OUT}/: {why}",
            help="rename what the file is named after",
        )
        for path in sorted(wanted)
        if (why := problem(path))
    ]
    if MANIFEST in wanted:
        found.append(Diagnostic("GPU901", f"{in_out(MANIFEST)} lists what gpuc owns and cannot be a compiled file"))
    seen: dict[str, str] = {}
    files = set(wanted)
    for path in sorted(with_parents([*wanted, MANIFEST])):
        other = seen.setdefault(folded(path), path)
        if other != path:
            found.append(_collision(path, other))
        found += [
            Diagnostic("GPU902", f"{in_out(parent)} would be both a file and the folder of {in_out(path)}")
            for parent in parents(path)
            if parent in files and path in files
        ]
    return found


def _collision(path: str, other: str) -> Diagnostic:
    return Diagnostic(
        "GPU902",
        f"{in_out(other)} and {in_out(path)} are one file where case or Unicode forms do not count "
        "(macOS, Windows): one would silently replace the other",
        Place(in_out(path)),
        help="rename one of them, or what it is named after",
    )


def find_blocked(wanted: Mapping[str, bytes], entries: Entries, owned: frozenset[str]) -> list[Diagnostic]:
    """Return a finding for everything in `out/` that gpuc does not own and that stands where a file must go."""
    stale = owned - wanted.keys()
    folders = with_parents(wanted) - wanted.keys()
    emptied = {parent for path in stale for parent in parents(path)}
    gone = stale | emptied
    kept = with_parents(path for path in entries if path not in gone)
    ours = {folded(path): path for path in wanted} | {folded(path): path for path in folders}
    found: list[Diagnostic] = []
    for path, entry in sorted(entries.items()):
        spelled = ours.get(folded(path))
        if path in wanted:
            if not _may_replace(path, entry, wanted[path], owned, kept):
                found.append(_in_the_way(path, entry, "has to be written here"))
        elif path in folders and entry.kind is not Kind.FOLDER and path not in owned:
            found.append(_in_the_way(path, entry, "needs a folder here"))
        elif spelled not in {None, path} and path in kept:
            found.append(
                _in_the_way(path, entry, f"named {shown(spelled or '')!r} is the same where case does not count")
            )
    return found


def _may_replace(path: str, entry: Entry, data: bytes, owned: frozenset[str], kept: Collection[str]) -> bool:
    if entry.kind is Kind.FILE:
        # A file that already is what gpuc would write becomes its own: a lost .gpuc.json is no reason to stop.
        return path in owned or entry.data == data
    return entry.kind is Kind.FOLDER and path not in kept


def _in_the_way(path: str, entry: Entry, why: str) -> Diagnostic:
    return Diagnostic(
        "GPU903",
        f"{in_out(path)} is a {entry.kind.value} that gpuc does not own, and a compiled file {why}",
        Place(in_out(path)),
        help=f"move it out of {OUT}/ or delete it; if gpuc wrote it, bring {in_out(MANIFEST)} back: "
        f"`git checkout HEAD -- {in_out(MANIFEST)}`",
    )
