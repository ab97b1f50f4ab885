"""One line of evidence for each fact, or a failure that says what was seen."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from tests.e2e.api import ApiError


class NotProven(Exception):
    """A fact does not hold. The message says what was expected and what was seen."""


class Evidence:
    """Prints `ok  <fact>  (<seconds> s)` for each fact that holds, and stops the run at the first that does not.

    `check` is called before every question: it raises when a program that the facts depend on has ended. No wait is
    longer than `patience_s`.
    """

    def __init__(
        self,
        output: TextIO | None = None,
        *,
        check: Callable[[], None] | None = None,
        between_s: float = 0.25,
        patience_s: float = math.inf,
    ) -> None:
        self._output = output if output is not None else sys.stdout
        self._check = check
        self._between_s = between_s
        self._patience_s = patience_s
        self.count = 0

    @contextmanager
    def meanwhile(self, work: Callable[[], None]) -> Iterator[None]:
        """Have `work` done before every question of the block, after the check: what goes on beside the questions."""
        before = self._check

        def check() -> None:
            if before:
                before()
            work()

        self._check = check
        try:
            yield
        finally:
            self._check = before

    def now(self, fact: str, seen: object, expected: object) -> None:
        """Take what was seen as evidence.

        Args:
            fact: what it proves, in words.
            seen: what was seen.
            expected: what must have been seen.

        Raises:
            NotProven: the two differ.
        """
        if seen != expected:
            raise NotProven(_difference(fact, expected, seen))
        self._print(fact, 0)

    def eventually(self, fact: str, probe: Callable[[], object], expected: object, *, within_s: float) -> float:
        """Ask until the answer is the expected one.

        Args:
            fact: what it proves, in words.
            probe: asks the cluster; an ApiError counts as an answer that is not the expected one.
            expected: the answer that proves the fact.
            within_s: seconds before giving up.

        Returns:
            The seconds that it took.

        Raises:
            NotProven: the answer is still another one when the time is up.
        """
        within_s = min(within_s, self._patience_s)
        start = time.monotonic()
        while True:
            seen = self._ask(probe)
            took = time.monotonic() - start
            if seen == expected:
                self._print(fact, took)
                return took
            if took > within_s:
                raise NotProven(_difference(f"{fact} (within {within_s:g} s)", expected, seen))
            time.sleep(self._between_s)

    def wait(self, what: str, probe: Callable[[], object], *, within_s: float) -> None:
        """Wait for something that is no evidence by itself.

        Raises:
            NotProven: it has not happened when the time is up.
        """
        start = time.monotonic()
        while self._ask(probe) is not True:
            if time.monotonic() - start > within_s:
                raise NotProven(f"not proven: {what} (within {within_s:g} s)")
            time.sleep(self._between_s)

    def stays(self, fact: str, probe: Callable[[], object], expected: object, *, for_s: float) -> None:
        """Ask again and again, and take it as evidence that the answer never changes.

        Args:
            fact: what it proves, in words.
            probe: asks the cluster.
            expected: the answer that every single question must get.
            for_s: seconds during which it must hold.

        Raises:
            NotProven: another answer came.
        """
        start = time.monotonic()
        while (took := time.monotonic() - start) < for_s:
            seen = self._ask(probe)
            if seen != expected:
                raise NotProven(_difference(f"{fact} (after {took:.1f} s)", expected, seen))
            time.sleep(self._between_s)
        self._print(fact, for_s)

    def _ask(self, probe: Callable[[], object]) -> object:
        try:
            if self._check:
                self._check()
            return probe()
        except ApiError as error:
            return f"error: {error}"

    def _print(self, fact: str, seconds: float) -> None:
        self.count += 1
        print(f"ok  {fact}  ({seconds:.1f} s)", file=self._output, flush=True)


def _difference(fact: str, expected: object, seen: object) -> str:
    return f"not proven: {fact}\n    expected: {expected}\n    seen:     {seen}"
