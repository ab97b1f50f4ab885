"""The command line: parses arguments, calls the stages, prints, and picks the exit code."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Run `gpuc` as a process."""
    # A run takes half a second and keeps nearly everything that it makes: looking for garbage finds none, and costs a
    # sixth of the time, part of it when Python ends, from which the freeze keeps it.
    gc.disable()
    # Pydantic would look for plugins in every installed package, and let them change what inputs mean.
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
    from compiler.cli.app import run  # noqa: PLC0415 -- so that importing the package stays cheap

    code = run(sys.argv[1:])
    gc.freeze()
    sys.exit(code)
