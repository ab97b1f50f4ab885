"""Prints a digest of what each project on the command line compiles to; run as a process of its own.

The first lines of a run prove that its surroundings were as the test wanted them.
"""

from __future__ import annotations

import hashlib
import json
import locale
import os
import sys
import time
from pathlib import Path

from compiler.pipeline import build


def digest(root: Path) -> str:
    """Return a digest of every path and every byte of a project's out/."""
    files = build(root).files
    return hashlib.sha256(json.dumps(sorted(files.items())).encode()).hexdigest()


def main(roots: list[str]) -> None:
    """Print the surroundings and the digests as JSON."""
    locale.setlocale(locale.LC_ALL, "")
    os.umask(umask := os.umask(0o077))
    seen = {
        "lower": locale.setlocale(locale.LC_CTYPE),
        "zone": time.tzname[0],
        "umask": f"{umask:03o}",
        "cwd": str(Path.cwd()),
        "hashed": hash("nodePools") % 1000,
    }
    sys.stdout.write(json.dumps({"seen": seen, "digests": [digest(Path(root)) for root in roots]}))


if __name__ == "__main__":
    main(sys.argv[1:])
