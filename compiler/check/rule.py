"""What a rule is. A module of `compiler.check.rules` defines `RULE`; its docstring is the rule's page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Generic, NamedTuple, TypeVar

from compiler.check.pluginconfig import PluginConfig
from compiler.check.scene import Scene
from compiler.diagnostics import Diagnostic, Place, Related, Severity
from compiler.model.environment import Environment, Project

S = TypeVar("S")


@dataclass(frozen=True)
class Finding:
    """What a rule found: the rule's code and severity are added when it is reported.

    `severity` replaces the rule's own where a finding is weaker than the rule usually is. `environment` is the overlay
    whose `ignore` may accept the finding.
    """

    message: str
    place: Place
    help: str
    related: tuple[Related, ...] = ()
    severity: Severity | None = None
    environment: str = ""


class Found(NamedTuple):
    """A diagnostic with the environment that it was found in; empty where it belongs to none."""

    environment: str
    diagnostic: Diagnostic


@dataclass(frozen=True)
class BaseRule(Generic[S]):
    """A rule on subjects of one kind: `check` yields findings for a whole subject.

    A finding of a rule that is not `ignorable` cannot be accepted in an overlay.
    """

    code: str
    name: str
    check: Callable[[S], Iterable[Finding]]
    severity: Severity = Severity.ERROR
    ignorable: bool = True

    def run(self, subject: S) -> Iterator[Diagnostic]:
        """Yield the rule's findings as diagnostics."""
        return (found.diagnostic for found in self.found(subject))

    def found(self, subject: S) -> Iterator[Found]:
        """Yield the rule's findings as diagnostics, each with its environment."""
        for item in self.check(subject):
            severity = item.severity or self.severity
            diagnostic = Diagnostic(self.code, item.message, item.place, severity, item.help, item.related)
            yield Found(item.environment, diagnostic)


class Rule(BaseRule[Project]):
    """A rule on what people wrote: it runs before anything is made."""


class SceneRule(BaseRule[Scene]):
    """A rule on finished objects: after the users' patches and kustomize, or in manifests that gpuc did not make."""


class ConfigRule(BaseRule[PluginConfig]):
    """A rule on the device plugin's configuration, wherever it stands."""


@dataclass(frozen=True)
class UsedIgnores:
    """The project, and the `ignore` entries that a finding matched: overlay and index."""

    project: Project
    used: frozenset[tuple[str, int]]


class IgnoreRule(BaseRule[UsedIgnores]):
    """A rule on what was ignored: it runs after all others."""


def each_environment(check: Callable[[Environment], Iterable[Finding]]) -> Callable[[Project], Iterator[Finding]]:
    """Make a check of the whole project out of one of a single environment."""

    def run(project: Project) -> Iterator[Finding]:
        for environment in project.environments:
            for found in check(environment):
                yield replace(found, environment=environment.name)

    return run
