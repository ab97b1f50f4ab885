"""`python -m scripts.docs [--check]`: writes what is generated below docs/, or says what is stale (exit 4)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from compiler.errors import ExitCode
from scripts.docs import rules

ROOT = Path(__file__).parents[2]
PAGES = {"docs/rules.md": rules.text}


def main() -> int:
    """Write or compare every page; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m scripts.docs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 4 when a page is stale")
    check = parser.parse_args().check
    stale = [name for name, text in PAGES.items() if _current(ROOT / name) != text()]
    for name in stale:
        if not check:
            (ROOT / name).write_text(PAGES[name](), encoding="utf-8", newline="\n")
        print(f"{name} {'is stale: run `make docs`' if check else 'written'}")
    if not stale:
        print("docs are current")
    return ExitCode.STALE if check and stale else ExitCode.OK


def _current(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


if __name__ == "__main__":
    sys.exit(main())
