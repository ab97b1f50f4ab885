"""Failures that end a run, each with the exit code that scripts rely on."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from compiler.diagnostics import Diagnostic, sorted_unique


class ExitCode(IntEnum):
    """Exit codes of every command."""

    OK = 0
    FINDINGS = 1
    USAGE = 2
    NOTHING_TO_COMPILE = 3
    STALE = 4
    ENVIRONMENT = 5
    BUG = 70
    INTERRUPTED = 130


class GpucError(Exception):
    """A failure that is not a bug in gpuc: it carries the findings to print and the exit code to end with."""

    exit_code = ExitCode.FINDINGS

    def __init__(self, diagnostics: Diagnostic | Iterable[Diagnostic]) -> None:
        found = [diagnostics] if isinstance(diagnostics, Diagnostic) else list(diagnostics)
        self.diagnostics = sorted_unique(found)
        super().__init__("; ".join(d.message for d in self.diagnostics))


class InputError(GpucError):
    """The inputs, or what they compile to, are wrong."""


class NothingToCompileError(GpucError):
    """There is no stack or no overlay below the root."""

    exit_code = ExitCode.NOTHING_TO_COMPILE


class EnvironmentFailure(GpucError):
    """A tool is missing, a permission is denied, the disk is full, or another run holds the lock."""

    exit_code = ExitCode.ENVIRONMENT
