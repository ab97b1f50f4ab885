"""Runs programs and times them, whole processes with what they start."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple


@dataclass(frozen=True)
class Command:
    """What to run: arguments, the folder to run in, text for standard input, and settings on top of the environment."""

    arguments: Sequence[str]
    folder: Path
    stdin: bytes = b""
    environment: Mapping[str, str] = field(default_factory=dict)


class Taken(NamedTuple):
    """What a run took, in seconds: by the clock, and of all processors together (user and system)."""

    wall: float
    cpu: float

    def __add__(self, other: object) -> Taken:
        """Return both one after the other."""
        if not isinstance(other, Taken):
            return NotImplemented
        return Taken(self.wall + other.wall, self.cpu + other.cpu)


class FailedError(Exception):
    """A program that is measured ended with an error, so its time means nothing."""


def run(command: Command) -> tuple[Taken, bytes]:
    """Run a program; return what it took, and what it printed.

    Raises:
        FailedError: it ended with another code than 0.
    """
    before, start = os.times(), time.perf_counter()
    done = subprocess.run(
        command.arguments,
        cwd=command.folder,
        input=command.stdin,
        capture_output=True,
        env={**os.environ, **command.environment},
        check=False,
    )
    wall, after = time.perf_counter() - start, os.times()
    if done.returncode:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[-1000:]
        raise FailedError(f"{' '.join(command.arguments)[:200]} ended with code {done.returncode}:\n{said}")
    cpu = after.children_user - before.children_user + after.children_system - before.children_system
    return Taken(wall, cpu), done.stdout


@dataclass
class Series:
    """The runs of one thing that is measured."""

    name: str
    taken: list[Taken] = field(default_factory=list)

    def row(self) -> str:
        """Return name, smallest and median time by the clock, and smallest time of the processors, as a line."""
        walls = [taken.wall for taken in self.taken]
        cpu = min(taken.cpu for taken in self.taken)
        return f"{self.name:50} {min(walls):8.3f} {statistics.median(walls):8.3f} {cpu:8.3f}"


def ratios(part: Series, whole: Series) -> list[float]:
    """Return the ratios by the clock, pair by pair: what ran side by side met the same load of the machine."""
    return [one.wall / other.wall for one, other in zip(part.taken, whole.taken, strict=True)]


def spread(values: Sequence[float]) -> str:
    """Return the smallest, median and largest of some ratios as text."""
    return f"{statistics.median(values):.2f} (from {min(values):.2f} to {max(values):.2f})"
