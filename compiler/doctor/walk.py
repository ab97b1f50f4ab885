"""Walks the chain: every link that can be looked at, and the first that is broken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from compiler.doctor.case import Case, Finding, Link
from compiler.doctor.data import one_line
from compiler.doctor.links import CHAIN
from compiler.doctor.snapshot import Kind, Known


class Status(StrEnum):
    """How a link is."""

    OK = "ok"
    BROKEN = "broken"
    UNKNOWN = "unknown"
    NOT_LOOKED_AT = "not-looked-at"
    NOT_IN_THIS_STACK = "not-in-this-stack"


@dataclass(frozen=True)
class Step:
    """A link and what was found there."""

    id: str
    title: str
    status: Status
    details: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Report:
    """The whole chain of an environment."""

    overlay: str
    origin: str
    steps: tuple[Step, ...]
    notes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """True when every link of this stack was looked at and holds."""
        return all(step.status in (Status.OK, Status.NOT_IN_THIS_STACK) for step in self.steps)

    @property
    def first_broken(self) -> Step | None:
        """The first broken link: the cause of what follows from it."""
        return next((step for step in self.steps if step.status is Status.BROKEN), None)


def diagnose(case: Case, chain: Sequence[Link] = CHAIN) -> Report:
    """Return the report on a cluster."""
    steps: list[Step] = []
    for link in chain:
        steps.append(_step(case, link, steps))
    return Report(case.expected.environment.name, case.seen.origin, tuple(steps), case.seen.notes)


def _step(case: Case, link: Link, before: Sequence[Step]) -> Step:
    if not link.applies(case):
        return Step(link.id, link.title, Status.NOT_IN_THIS_STACK)
    first = [
        step.title for step in before if step.id in link.after and step.status in (Status.BROKEN, Status.NOT_LOOKED_AT)
    ]
    if first:
        return Step(link.id, link.title, Status.NOT_LOOKED_AT, (f"{first[0]} comes first",))
    unread = [_unread(case, kind) for kind in link.wanted(case) if case.seen.known(kind) is Known.NO]
    if unread:
        return Step(link.id, link.title, Status.UNKNOWN, tuple(unread))
    verdict = link.check(case)
    status = Status.BROKEN if verdict.findings else Status.OK
    return Step(link.id, link.title, status, verdict.details, verdict.findings)


def _unread(case: Case, kind: Kind) -> str:
    why = case.seen.failures.get(kind)
    return f"no {kind.kind} was read" + (f": {one_line(why)}" if why else "")
