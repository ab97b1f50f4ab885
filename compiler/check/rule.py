"""What a rule is. A module of `compiler.check.rules` defines `RULE`; its docstring is the rule's page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from compiler.diagnostics import Diagnostic, Place, Related, Severity
from compiler.model.environment import Environment, Project


@dataclass(frozen=True)
class Finding:
    """What a rule found: the rule's code and severity are added when it is reported."""

    message: str
    place: Place
    help: str
    related: tuple[Related, ...] = ()


@dataclass(frozen=True)
class Rule:
    """A rule on the model. `check` yields findings for the whole project."""

    code: str
    name: str
    check: Callable[[Project], Iterable[Finding]]
    severity: Severity = Severity.ERROR

    def run(self, project: Project) -> Iterator[Diagnostic]:
        """Yield the rule's findings as diagnostics."""
        for found in self.check(project):
            yield Diagnostic(self.code, found.message, found.place, self.severity, found.help, found.related)


def each_environment(check: Callable[[Environment], Iterable[Finding]]) -> Callable[[Project], Iterator[Finding]]:
    """Make a check of the whole project out of one of a single environment."""

    def run(project: Project) -> Iterator[Finding]:
        for environment in project.environments:
            yield from check(environment)

    return run
