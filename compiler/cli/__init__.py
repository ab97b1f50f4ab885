"""The command line: parses arguments, calls the stages, prints, and picks the exit code."""

from __future__ import annotations

import sys


def main() -> None:
    """Run `gpuc` as a process."""
    from compiler.cli.app import run  # noqa: PLC0415 -- so that importing the package stays cheap

    sys.exit(run(sys.argv[1:]))
