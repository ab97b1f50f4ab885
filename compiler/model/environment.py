"""An environment: the stack as one overlay sees it, and where each value of it was written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from compiler.diagnostics import Diagnostic, Place
from compiler.errors import InputError
from compiler.load import Document
from compiler.model.describe import Location
from compiler.model.merge import merge
from compiler.model.overlay import Overlay
from compiler.model.parse import parse
from compiler.model.stack import GPUStack

OVERRIDES = "overrides"
M = TypeVar("M", GPUStack, Overlay)


@dataclass(frozen=True)
class Environment:
    """One overlay with the stack after its overrides, and the documents that both were read from."""

    name: str
    stack: GPUStack
    overlay: Overlay
    stack_document: Document
    overlay_document: Document

    def stack_place(self, loc: Location, *, key: bool = False) -> Place:
        """Return where a value of the stack was written: in the overlay if it overrides it, else in base/stack.yaml."""
        return _stack_place(self.stack_document, self.overlay_document, loc, key=key)

    def overlay_place(self, loc: Location, *, key: bool = False) -> Place:
        """Return where a value of the overlay was written."""
        return self.overlay_document.place(loc, key=key)


@dataclass(frozen=True)
class Project:
    """Everything that people wrote: the stack, and the environments that overlays make of it, by name."""

    stack: GPUStack
    stack_document: Document
    environments: tuple[Environment, ...]


def _stack_place(stack: Document, overlay: Document, loc: Location, *, key: bool = False) -> Place:
    overridden = (OVERRIDES, *loc)
    if loc and len(overlay.resolve(overridden)) > len(stack.resolve(loc)):
        return overlay.place(overridden, key=key)
    return stack.place(loc, key=key)


def read_project(stack_document: Document, overlay_documents: Mapping[str, Document]) -> Project:
    """Return the project that the documents describe.

    `overlay_documents` is keyed by the overlay's name, which is its folder's. Raises InputError with the findings of
    all documents. A stack that does not parse is reported once, not again for every overlay.
    """
    problems: list[Diagnostic] = []
    stack = _attempt(GPUStack, stack_document, problems)
    overlays = {name: _attempt(Overlay, document, problems) for name, document in sorted(overlay_documents.items())}
    environments = []
    for name, overlay in overlays.items():
        if stack is None or overlay is None:
            continue
        document = overlay_documents[name]
        resolved = _override(stack, overlay, stack_document, document, problems)
        if resolved is not None:
            environments.append(Environment(name, resolved, overlay, stack_document, document))
    if problems or stack is None:
        raise InputError(problems)
    return Project(stack, stack_document, tuple(environments))


def _attempt(model: type[M], document: Document, problems: list[Diagnostic]) -> M | None:
    try:
        return parse(model, document.data, document.place)
    except InputError as error:
        problems.extend(error.diagnostics)
        return None


def _override(
    stack: GPUStack, overlay: Overlay, stack_document: Document, document: Document, problems: list[Diagnostic]
) -> GPUStack | None:
    if not overlay.overrides:
        return stack
    merged = merge(stack_document.data, overlay.overrides)
    try:
        # The stack alone is right, so whatever is wrong now is the overlay's doing, wherever the value was written.
        return parse(GPUStack, merged, partial(_override_place, document), partial(_inherited, document))
    except InputError as error:
        problems.extend(error.diagnostics)
        return None


def _override_place(overlay: Document, loc: Location, *, key: bool = False) -> Place:
    return overlay.place((OVERRIDES, *loc), key=key)


def _inherited(overlay: Document, loc: Location) -> bool:
    return loc[-1] not in overlay.resolve((OVERRIDES, *loc))
