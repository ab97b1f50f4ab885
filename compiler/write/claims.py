"""`out/.gpuc.json`: the paths that gpuc owns in `out/`.

The file holds paths and nothing else, so it changes only when a file comes or goes. It is read line by line where it
is no valid JSON, because a merge conflict in it must not stop the compile that mends it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from compiler.diagnostics import Diagnostic, Place
from compiler.errors import InputError
from compiler.write.paths import MANIFEST, in_out, problem, shown

VERSION = 1
MAX_SIZE = 4 * 1024 * 1024
_MARKER = re.compile(r"<{7}|={7}|>{7}|\|{7}")
_FRAME = re.compile(r"""\s*(?:[{}]|"files":\s*\[\s*\]?|\],?|"version":\s*1,?)?\s*""")
_PATH = re.compile(r'\s*("(?:[^"\\]|\\.)*"),?\s*')


def render(paths: Iterable[str]) -> str:
    """Return the text of `out/.gpuc.json` for these paths, which are relative to `out/`."""
    return json.dumps({"version": VERSION, "files": sorted(paths)}, indent=2, ensure_ascii=False) + "\n"


def parse(data: bytes | None) -> frozenset[str]:
    """Return the paths that `out/.gpuc.json` claims; after a merge conflict, those of both sides.

    `data` is None for a file that is too large to be read.

    Raises:
        InputError: it is not what gpuc writes, or it claims a path that may not be in `out/`.
    """
    if data is None or len(data) > MAX_SIZE:
        raise InputError(_bad("it is larger than 4 MiB", 1, ""))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(_bad("it is not UTF-8 text", 1, "")) from None
    lines = text.splitlines()
    claims = _from_json(text)
    if claims is None:
        claims = _from_lines(lines)
    found = [
        _bad(f"it claims the path {shown(path)!r}, which gpuc never writes: {why}", *_line_of(path, lines))
        for path in sorted(claims)
        if (why := problem(path))
    ]
    if found:
        raise InputError(found)
    return frozenset(claims) - {MANIFEST}


def _from_json(text: str) -> set[str] | None:
    """Return the paths of a well-formed file, or None if it is not one."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    match value:
        case {"version": 1, "files": [*paths], **rest} if not rest and all(isinstance(path, str) for path in paths):
            return set(paths)
        case {"version": int(version)} if version > VERSION:
            raise InputError(_bad(f"its version is {version}: a newer gpuc wrote it", 1, text.partition("\n")[0]))
    return None


def _from_lines(lines: list[str]) -> set[str]:
    """Return every path that stands on a line of its own, skipping the lines that git adds in a conflict."""
    claims: set[str] = set()
    for number, line in enumerate(lines, start=1):
        if _MARKER.match(line) or _FRAME.fullmatch(line):
            continue
        match = _PATH.fullmatch(line)
        try:
            claims.add(json.loads(match[1]) if match else json.loads("?"))
        except ValueError:
            raise InputError(_bad("this line is none that gpuc writes", number, line)) from None
    return claims


def _line_of(path: str, lines: list[str]) -> tuple[int, str]:
    quoted = (json.dumps(path, ensure_ascii=False), json.dumps(path))
    return next(((n, line) for n, line in enumerate(lines, start=1) if any(q in line for q in quoted)), (1, ""))


def _bad(why: str, line: int, text: str) -> Diagnostic:
    safe = shown(text)
    return Diagnostic(
        "GPU905",
        f"{in_out(MANIFEST)} cannot be trusted: {why}; gpuc deletes and overwrites only files that it owns",
        Place(in_out(MANIFEST), line, 1, max(1, len(safe)), safe),
        help=f"restore it with `git checkout HEAD -- {in_out(MANIFEST)}`, or delete the line",
    )
