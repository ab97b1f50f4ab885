"""Runs a tool with nothing at hand: no PATH, no home, no network, and a limit on its time."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from compiler.diagnostics import Diagnostic
from compiler.errors import EnvironmentFailure
from compiler.validate import codes

_SECONDS: Final = 60.0
_CLOSED_PORT: Final = "http://127.0.0.1:9"

# kustomize finds git, helm and plugins through PATH and HOME; without them it cannot start any. The proxies lead
# nowhere, so that an address which slipped through fails at once. They end before their garbage matters: Go's
# collector would take a twentieth of their time, and need not start before there is a lot of it.
_ENVIRONMENT: Final = {
    "GOGC": "off",
    "GOMEMLIMIT": "256MiB",
    "HOME": "/nonexistent",
    "HTTPS_PROXY": _CLOSED_PORT,
    "HTTP_PROXY": _CLOSED_PORT,
    "LC_ALL": "C",
    "NO_PROXY": "",
    "PATH": "/nonexistent",
    "XDG_CONFIG_HOME": "/nonexistent",
}


class Finished(NamedTuple):
    """What a tool left: its exit code, and what it printed."""

    code: int
    stdout: str
    stderr: str


def run(tool: Path, arguments: Sequence[str], folder: Path, *, seconds: float = _SECONDS) -> Finished:
    """Run a tool in a folder and return what it left; a code other than 0 is the caller's to judge.

    `seconds` is how long it may take.

    Raises:
        EnvironmentFailure: the tool cannot be started, takes too long, or is ended by a signal.
    """
    try:
        done = subprocess.run(
            (str(tool), *arguments),
            cwd=folder,
            env=_ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        raise _failed(tool, f"did not end within {seconds:g} seconds", "try again on a less busy machine") from late
    except OSError as error:
        reason = error.strerror or str(error)
        raise _failed(tool, f"cannot be run: {reason}", "`make setup` builds it again") from error
    if done.returncode < 0:
        raise _failed(tool, f"was ended by signal {-done.returncode}", "see whether the machine ran out of memory")
    return Finished(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


def tool_failed(tool: Path, what: str, said: str) -> EnvironmentFailure:
    """Return the failure of a tool that ended in a way that no manifest can cause; `said` is what it printed."""
    tail = "".join(f"\n  {line}" for line in said.strip().splitlines()[-5:])
    return _failed(tool, what + (f". It said:{tail}" if tail else ""), "`make setup` builds it again")


def _failed(tool: Path, what: str, cure: str) -> EnvironmentFailure:
    message = f"{tool.name} ({tool}) {what}; the manifests could not be checked, so out/ is as it was"
    return EnvironmentFailure(Diagnostic(codes.TOOL_FAILED, message, help=cure))
