"""Ctrl-C: remembered, because a library may turn the exception that it raises into one of its own."""

from __future__ import annotations

import signal
import sys
from types import FrameType

MESSAGE = "interrupted; out/ is as it was or complete"
_seen: list[int] = []


def watch() -> None:
    """Raise KeyboardInterrupt at Ctrl-C, as Python does, and remember it."""
    signal.signal(signal.SIGINT, _remember)


def ignore() -> None:
    """Let nothing interrupt Python's own way out, which would print a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def seen() -> bool:
    """True once Ctrl-C was pressed. Pydantic, for one, reports it as a broken model when it strikes there."""
    return bool(_seen)


def say() -> None:
    """Tell the user what an interrupted run leaves."""
    sys.stderr.write(f"{MESSAGE}\n")


def _remember(number: int, _frame: FrameType | None) -> None:
    _seen.append(number)
    raise KeyboardInterrupt
