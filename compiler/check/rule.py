"""What a rule is. A module of `compiler.check.rules` defines `RULE`; its docstring is the rule's page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from compiler.check.scene import Scene
from compiler.diagnostics import Diagnostic, Place, Related, Severity
from compiler.model.environment import Environment, Project

S = TypeVar("S")


@dataclass(frozen=True)
class Finding:
    """What a rule found: the rule's code and severity are added when it is reported.

    `severity` replaces the rule's own where a finding is weaker than the rule usually is.
    """

    message: str
    place: Place
    help: str
    related: tuple[Related, ...] = ()
    severity: Severity | None = None


@dataclass(frozen=True)
class BaseRule(Generic[S]):
    """A rule on subjects of one kind: `check` yields findings for a whole subject."""

    code: str
    name: str
    check: Callable[[S], Iterable[Finding]]
    severity: Severity = Severity.ERROR

    def run(self, subject: S) -> Iterator[Diagnostic]:
        """Yield the rule's findings as diagnostics."""
        for found in self.check(subject):
            severity = found.severity or self.severity
            yield Diagnostic(self.code, found.message, found.place, severity, found.help, found.related)


class Rule(BaseRule[Project]):
    """A rule on what people wrote: it runs before anything is made."""


class SceneRule(BaseRule[Scene]):
    """A rule on finished objects: after the users' patches and kustomize, or in manifests that gpuc did not make."""


def each_environment(check: Callable[[Environment], Iterable[Finding]]) -> Callable[[Project], Iterator[Finding]]:
    """Make a check of the whole project out of one of a single environment."""

    def run(project: Project) -> Iterator[Finding]:
        for environment in project.environments:
            yield from check(environment)

    return run
