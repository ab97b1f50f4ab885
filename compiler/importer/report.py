"""What became of every value that somebody had set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from compiler.check.scene import Route
from compiler.diagnostics import Place
from compiler.objects import Json
from compiler.starter.draft import Draft, Which

Target = tuple[Which, Route]


def in_stack(*route: str | int) -> tuple[Target, ...]:
    """Return the one place of the stack at a route."""
    return (("stack", route),)


def in_overlay(*route: str | int) -> tuple[Target, ...]:
    """Return the one place of the overlay at a route."""
    return (("overlay", route),)


class Outcome(StrEnum):
    """What became of a value, in the order of the report."""

    WRONG = "wrong as written"
    QUESTION = "needs an answer"
    UNEXPRESSED = "could not be expressed"
    TRANSLATED = "translated"
    DEFAULT = "as gpuc does it anyway"


@dataclass(frozen=True)
class Entry:
    """A value, what became of it, why, and what to do.

    `route` is the value's in the chart's values, or empty for what stands beside them; everything below it is meant.
    `targets` are the places in the new files that say the same.
    """

    source: str
    route: Route
    value: Json
    place: Place
    outcome: Outcome
    why: str = ""
    help: str = ""
    targets: tuple[Target, ...] = ()
    label: str = ""

    def covers(self, route: Route) -> bool:
        """Return whether this entry speaks of the value at a route."""
        return bool(self.route) and route[: len(self.route)] == self.route


@dataclass
class Report:
    """Everything that was read, and the inputs that it makes."""

    draft: Draft
    entries: list[Entry] = field(default_factory=list)

    def of(self, outcome: Outcome) -> list[Entry]:
        """Return the entries with an outcome, by place."""
        found = [entry for entry in self.entries if entry.outcome is outcome]
        return sorted(found, key=lambda entry: (entry.place.path, entry.place.line, entry.place.column))

    @property
    def open(self) -> bool:
        """True where something is wrong as written or needs an answer."""
        return any(entry.outcome in {Outcome.WRONG, Outcome.QUESTION} for entry in self.entries)


def leaves(value: Json, route: Route = ()) -> Iterator[tuple[Route, Json]]:
    """Yield every value that is no collection, and every empty collection, with its route."""
    items: list[tuple[str | int, Json]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    if not items:
        if route:
            yield route, value
        return
    for key, inner in items:
        yield from leaves(inner, (*route, key))
