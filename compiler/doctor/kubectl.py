"""Runs kubectl to read, with limits on time and on what it may print."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

_SECONDS: Final = 60.0
_REQUEST_SECONDS: Final = 20
_LARGEST: Final = 256 * 1024 * 1024
_CHUNK: Final = 1 << 20


@dataclass(frozen=True)
class Answer:
    """What kubectl printed; `error` is why there is no answer, empty where there is one."""

    stdout: bytes
    error: str = ""


@dataclass(frozen=True)
class Kubectl:
    """kubectl with its options for the cluster. Whatever runs goes through `ask`, and only reads.

    The environment is the user's own: kubeconfig, proxies and the programs that fetch credentials are found through it.
    """

    program: Path
    options: tuple[str, ...] = ()

    def ask(self, arguments: Sequence[str]) -> Answer:
        """Run `get` or `logs`, and return what it prints. A failure is an answer too."""
        if arguments[0] != "get" and "logs" not in arguments:
            raise ValueError(f"doctor only reads: {arguments}")
        command = [str(self.program), *self.options, f"--request-timeout={_REQUEST_SECONDS}s", *arguments]
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        except OSError as error:
            return Answer(b"", f"kubectl cannot be run: {error.strerror or error}")
        with process:
            late = threading.Event()
            timer = threading.Timer(_SECONDS, _end, (process, late))
            timer.start()
            try:
                return _collect(process, late)
            finally:
                timer.cancel()
                process.kill()


def _end(process: subprocess.Popen[bytes], late: threading.Event) -> None:
    late.set()
    process.kill()


def _collect(process: subprocess.Popen[bytes], late: threading.Event) -> Answer:
    said: list[bytes] = []
    errors = threading.Thread(target=_read, args=(process.stderr, said), daemon=True)
    errors.start()
    printed: list[bytes] = []
    if not _read(process.stdout, printed):
        return Answer(b"", f"it prints more than {_LARGEST // 1024**2} MiB")
    code = process.wait()
    errors.join(1)
    if late.is_set():
        return Answer(b"", f"no answer within {_SECONDS:g} seconds")
    if code != 0:
        return Answer(b"", b"".join(said).decode("utf-8", "replace").strip() or f"kubectl ended with {code}")
    return Answer(b"".join(printed))


def _read(stream: IO[bytes] | None, chunks: list[bytes]) -> bool:
    """Read a stream to its end; False where it is too long."""
    size = 0
    while stream and (chunk := stream.read(_CHUNK)):
        size += len(chunk)
        if size > _LARGEST:
            return False
        chunks.append(chunk)
    return True
