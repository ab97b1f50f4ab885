"""Runs several jobs at once, each in a process and a network of its own, and prints what they say one after the other.

Most of a run is waiting for Flux, so two clusters at once take hardly longer than one.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.e2e import linux


def run(jobs: Sequence[Callable[[], int]], folder: Path) -> int:
    """Run jobs at the same time.

    The first one's output is seen as it comes; that of each other when those before it are done.

    Args:
        jobs: each returns an exit code.
        folder: where their output is kept meanwhile.

    Returns:
        0 where all of them returned 0, else the first exit code that is not.
    """
    if len(jobs) == 1:
        return jobs[0]()
    sys.stdout.flush()
    sys.stderr.flush()
    outputs = [folder / f"output-{index}.txt" for index in range(len(jobs))]
    children = [_start(job, output) for job, output in zip(jobs, outputs, strict=True)]
    codes = [_follow(child, output) for child, output in zip(children, outputs, strict=True)]
    return next((code for code in codes if code != 0), 0)


def _start(job: Callable[[], int], output: Path) -> int:
    """Start a job, and return its process's number."""
    output.touch()
    child = os.fork()
    if child != 0:
        return child
    code = 1
    try:
        linux.unshare(linux.CLONE_NEWNET)  # ports that one takes are free for the others
        linux.loopback_up()
        descriptor = os.open(output, os.O_WRONLY | os.O_APPEND)
        os.dup2(descriptor, 1)
        os.dup2(descriptor, 2)
        code = job()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _follow(child: int, output: Path) -> int:
    """Print what a job says until it has ended, and return its exit code."""
    with output.open(encoding="utf-8", errors="replace") as text:
        while True:
            done, status = os.waitpid(child, os.WNOHANG)
            shutil.copyfileobj(text, sys.stdout)
            sys.stdout.flush()
            if done:
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code
            time.sleep(0.1)
