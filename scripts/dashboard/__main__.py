"""Write the dashboard, its page and its picture, or say whether they are current.

usage: python -m scripts.dashboard [--check]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scripts.dashboard.build import build
from scripts.dashboard.page import page
from scripts.dashboard.picture import picture

ROOT = Path(__file__).parents[2]


def generated() -> dict[str, str]:
    """Return the text of every file that is made here, by path below the repository."""
    return {
        "compiler/monitoring/gpus.json": build(),
        "docs/dashboard.md": page(),
        "docs/dashboard.svg": picture(),
    }


def main() -> int:
    """Write the files; with `--check` return 1 when one is not current."""
    parser = argparse.ArgumentParser(prog="python -m scripts.dashboard", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when something is not current")
    options = parser.parse_args()
    stale = []
    for name, text in generated().items():
        path = ROOT / name
        if not path.exists() or path.read_text("utf-8") != text:
            stale.append(name)
            if not options.check:
                path.write_text(text, "utf-8", newline="\n")
    for name in stale:
        print(f"{'not current' if options.check else 'written'}: {name}")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
