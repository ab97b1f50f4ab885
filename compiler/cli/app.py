"""The commands, and what every one of them does with failures."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module

import typer

from compiler import __version__
from compiler.cli import interrupt
from compiler.cli.output import report
from compiler.cli.render import Format
from compiler.errors import ExitCode, GpucError

COMMANDS = ("compile", "check", "diff", "doctor", "lint", "talos", "graph", "explain", "init", "import", "schema")
"""In the order of the help; each is a module of this package with a function `command`."""


def _version(wanted: bool) -> None:  # noqa: FBT001 -- Typer's callback
    if wanted:
        typer.echo(f"gpuc {__version__}")
        raise typer.Exit


def _main(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),  # noqa: FBT001, FBT003
) -> None:
    pass


def application(arguments: Sequence[str]) -> typer.Typer:
    """Return the application with the command that is asked for, or with all of them where none is.

    Importing only what runs keeps `gpuc compile` quick.
    """
    app = typer.Typer(
        name="gpuc",
        help="Compile a short typed description of a cluster's NVIDIA GPU stack into plain Kustomize manifests.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback()(_main)
    wanted = [name for name in COMMANDS if arguments[:1] == [name]]
    for name in wanted or COMMANDS:
        module = f"{name}_" if name == "import" else name  # a module cannot be called like a word of Python's
        app.command(name)(import_module(f"compiler.cli.{module}").command)
    return app


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; a mistake of the user's never ends in a traceback."""
    style = _format(arguments)
    try:
        application(arguments)(list(arguments), prog_name="gpuc")
    except SystemExit as done:
        return _ended(done)
    except GpucError as error:
        report(error.diagnostics, style)
        return error.exit_code
    except BrokenPipeError:
        return _nobody_reads()
    except Exception:  # noqa: BLE001 -- the last resort, which says that it is one
        if interrupt.seen():
            interrupt.say()
            return ExitCode.INTERRUPTED
        traceback.print_exc()
        typer.echo("this is a bug in gpuc: please report it with the lines above", err=True)
        return ExitCode.BUG
    return ExitCode.OK


def _ended(done: SystemExit) -> int:
    """Return the exit code with which Typer ended a command."""
    if isinstance(done.__context__, BrokenPipeError):  # Typer's code for it is 1, as if there were findings
        return _nobody_reads()
    code = done.code if isinstance(done.code, int) else ExitCode.OK
    if code == ExitCode.INTERRUPTED:
        interrupt.say()
    return code


def _nobody_reads() -> int:
    """Let Python's own last flush go nowhere: the reader, such as `head`, has seen enough."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ExitCode.OK


def _format(arguments: Sequence[str]) -> Format:
    """Return the wanted format, for failures that leave the command before it could say."""
    for index, argument in enumerate(arguments):
        value = argument.partition("=")[2] if argument.startswith("--format=") else ""
        if argument == "--format" and index + 1 < len(arguments):
            value = arguments[index + 1]
        if value in list(Format):
            return Format(value)
    return Format.TEXT
