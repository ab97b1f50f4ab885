"""Takes back what the new files may not say: a value that Kubernetes or gpuc would refuse is reported, not written."""

from __future__ import annotations

from dataclasses import replace

from compiler.diagnostics import Diagnostic
from compiler.errors import InputError
from compiler.importer.report import Entry, Outcome, Target
from compiler.importer.state import Import
from compiler.model.environment import read_project

_ROUNDS = 50


def settle(state: Import) -> None:
    """Withdraw values until the two files are well-formed; each becomes an entry that says what is wrong with it."""
    for _ in range(_ROUNDS):
        # One at a time: everything below a value that was taken back has moved.
        if not any(_withdraw(state, problem) for problem in _problems(state)):
            return


def _problems(state: Import) -> list[Diagnostic]:
    try:
        read = state.draft.documents()
        read_project(read["stack"], {state.draft.name: read["overlay"]})
    except InputError as error:
        return error.diagnostics
    return []


def _withdraw(state: Import, problem: Diagnostic) -> bool:
    """Take back the value that a finding is about; return whether there was one."""
    if problem.place is None:
        return False
    try:
        documents = state.draft.documents()
    except InputError:
        return False
    best: tuple[int, int, Target] | None = None
    for index, entry in enumerate(state.report.entries):
        for target in entry.targets:
            which, route = target
            document = documents[which]
            if document.path != problem.place.path or document.resolve(route) != route:
                continue
            first, last = _lines(state, target)
            if first <= problem.place.line <= last and (best is None or len(route) > len(best[2][1])):
                best = (index, first, target)
    if best is None:
        return False
    entry = state.report.entries[best[0]]
    for which, route in reversed(entry.targets):
        # The same setting of another component goes too; a version that came with a broken digest stays.
        if route[-1] == best[2][1][-1]:
            state.draft.drop(which, route)
    index = best[0]
    state.report.entries[index] = _wrong(entry, problem)
    return True


def _lines(state: Import, target: Target) -> tuple[int, int]:
    """Return the first and the last line of a value in the draft's file."""
    which, route = target
    document = state.draft.documents()[which]
    first = document.place(route, key=True).line
    indent = len(document.lines[first - 1]) - len(document.lines[first - 1].lstrip())
    last = first
    for number in range(first, len(document.lines)):
        line = document.lines[number]
        inner = len(line) - len(line.lstrip())
        if line.strip() and (inner < indent or (inner == indent and not line.lstrip().startswith("- "))):
            break
        last = number + 1
    return first, last


def _wrong(entry: Entry, problem: Diagnostic) -> Entry:
    return replace(entry, outcome=Outcome.WRONG, why=problem.message, help=problem.help or "", targets=())
