"""Builds Talos's own decoder, once for each release: a program that takes a patch and says what is wrong with it."""

from __future__ import annotations

import fcntl
import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from compiler.tools.golang import find_go

MODULES = Path(__file__).parent / "go"
BINARIES = Path(__file__).parents[2] / ".tools" / "talos"
_MINIMUM_GO = (1, 26)
_BUILD_SECONDS = 900


def decoder(release: str) -> Path:
    """Return the decoder of a release such as `v1.13`; skips the test where it was not built."""
    program = BINARIES / release
    if not _is_built(release):
        pytest.skip("Talos's decoder is not built: `python -m tests.talos.decoder` (about three minutes, once)")
    return program


def _is_built(release: str) -> bool:
    stamp = BINARIES / f".{release}.stamp"
    return (BINARIES / release).is_file() and stamp.is_file() and stamp.read_text(encoding="ascii") == _digest(release)


def _digest(release: str) -> str:
    digest = hashlib.sha256()
    for name in ("go.mod", "go.sum", "main.go"):
        digest.update((MODULES / release / name).read_bytes())
    return digest.hexdigest()


def build(release: str) -> None:
    """Build the decoder of a release, unless that is done; raises CalledProcessError where it does not compile."""
    BINARIES.mkdir(parents=True, exist_ok=True)
    with (BINARIES / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _is_built(release):
            return
        go, _ = find_go(_MINIMUM_GO, None)
        if go is None:
            sys.exit("Talos's decoder needs Go 1.26 or later")
        half_done = BINARIES / f".{release}.half-done"
        subprocess.run(
            [str(go.program), "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", str(half_done), "."],
            cwd=MODULES / release,
            env=dict(go.environment()),
            timeout=_BUILD_SECONDS,
            check=True,
        )
        half_done.replace(BINARIES / release)
        (BINARIES / f".{release}.stamp").write_text(_digest(release), encoding="ascii")


def complaint(release: str, patch: str) -> str:
    """Return what Talos says is wrong with a patch of a worker's configuration; empty if it accepts it."""
    done = subprocess.run([decoder(release)], input=patch, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stderr


if __name__ == "__main__":
    for module in sorted(path.name for path in MODULES.iterdir() if path.is_dir()):
        build(module)
