"""The command line: parses arguments, calls the stages, prints, and picks the exit code."""

from __future__ import annotations

import gc
import os
import sys

from compiler.cli import interrupt


def main() -> None:
    """Run `gpuc` as a process."""
    # A run takes half a second and keeps nearly everything that it makes: looking for garbage finds none, and costs a
    # sixth of the time, part of it when Python ends, from which the freeze keeps it.
    gc.disable()
    # Pydantic would look for plugins in every installed package, and let them change what inputs mean.
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
    interrupt.watch()
    try:
        from compiler.cli.app import run  # noqa: PLC0415 -- so that importing the package stays cheap

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while modules are imported or findings printed: Typer takes care of it in between
        interrupt.say()
        code = 130
    interrupt.ignore()
    gc.freeze()
    sys.exit(code)
