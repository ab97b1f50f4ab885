"""Write the data under compiler/schemas/, or say whether it is current.

usage: python -m scripts.schemas [--check] [--no-go]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scripts.schemas import custom_resources, go, kubernetes

TARGET = Path(__file__).parents[2] / "compiler" / "schemas"


def main() -> int:
    """Run the generators. Returns 0, or 1 when `--check` found a file that is missing, different or left over."""
    parser = argparse.ArgumentParser(prog="python -m scripts.schemas", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when something is not current")
    parser.add_argument("--no-go", action="store_true", help="leave out what needs Go and its module proxy")
    options = parser.parse_args()
    stale = []
    if not options.no_go:
        stale += bring("crds", go.definitions(), check=options.check)
        stale += bring("kustomize", go.kustomization(), check=options.check)
    stale += bring("custom-resources", custom_resources.generate(TARGET / "crds"), check=options.check)
    stale += bring("kubernetes", kubernetes.generate(), check=options.check)
    for path in stale:
        sys.stdout.write(f"{'not current' if options.check else 'written'}: compiler/schemas/{path}\n")
    return 1 if options.check and stale else 0


def bring(folder: str, files: dict[str, str], *, check: bool) -> list[str]:
    """Make a folder below compiler/schemas/ hold exactly these files, or (check) only compare.

    Returns the paths that were not current, sorted.
    """
    present = {path.relative_to(TARGET).as_posix(): path for path in (TARGET / folder).rglob("*") if path.is_file()}
    stale = sorted(
        name
        for name in present.keys() | files.keys()
        if name not in files or name not in present or present[name].read_text("utf-8") != files[name]
    )
    if not check:
        for name in stale:
            if name in files:
                (TARGET / name).parent.mkdir(parents=True, exist_ok=True)
                (TARGET / name).write_text(files[name], "utf-8", newline="\n")
            else:
                present[name].unlink()
    return stale


if __name__ == "__main__":
    sys.exit(main())
