"""Findings that an overlay accepts under `ignore`, each with its reason."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from compiler.check.rule import Found
from compiler.model.environment import Project

Entry = tuple[str, int]
"""An `ignore` entry: the overlay's name and the index in its list."""


class Kept(NamedTuple):
    """What is left of findings, and the entries that took the others away."""

    found: list[Found]
    used: frozenset[Entry]


def without_ignored(project: Project, found: Iterable[Found], ignorable: frozenset[str]) -> Kept:
    """Return the findings that nobody accepts.

    `ignorable` are the codes that an overlay may name; an entry for any other has no effect. Of two entries for one
    rule the first counts.
    """
    entries: dict[tuple[str, str], Entry] = {}
    for environment in project.environments:
        for index, entry in enumerate(environment.overlay.ignore):
            if entry.rule in ignorable:
                entries.setdefault((environment.name, entry.rule), (environment.name, index))
    kept: list[Found] = []
    used: set[Entry] = set()
    for item in found:
        entry_of = entries.get((item.environment, item.diagnostic.rule))
        if entry_of is None:
            kept.append(item)
        else:
            used.add(entry_of)
    return Kept(kept, frozenset(used))
