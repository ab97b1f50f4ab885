"""Stacks as rules see them: the one in base/stack.yaml, and each overlay's where it overrides something."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from compiler.check.rule import Finding, each_environment
from compiler.diagnostics import Place
from compiler.model.describe import Location
from compiler.model.environment import Environment, Project
from compiler.model.stack import GPUStack


@dataclass(frozen=True)
class StackView:
    """A stack with the means to blame a line for what is wrong with it."""

    stack: GPUStack
    environment: Environment

    def place(self, loc: Location, *, key: bool = False) -> Place:
        """Return where a value of the stack was written."""
        return self.environment.stack_place(loc, key=key)


def each_stack(check: Callable[[StackView], Iterable[Finding]]) -> Callable[[Project], Iterator[Finding]]:
    """Make a check of the whole project out of one of a single environment's stack."""
    return each_environment(lambda environment: check(StackView(environment.stack, environment)))
