"""Finds the user's line behind a field of a compiled object: in a patch that changed it, else in stack or overlay."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from compiler.check.scene import Locator, Route
from compiler.diagnostics import Place
from compiler.kustomize.patches import UserPatch
from compiler.model.environment import Environment
from compiler.objects import Json, Obj, ObjectId, object_id
from compiler.scenes.origin import Origin
from compiler.scenes.patched import PatchFile

_MISSING = object()


class Locators:
    """The locators of one Kustomize root's objects.

    `expected` are the objects as they were compiled, before the user's `patches`.
    """

    def __init__(self, environment: Environment, expected: Sequence[Obj], patches: Sequence[UserPatch]) -> None:
        self._environment = environment
        self._compiled = {object_id(obj): obj for obj in expected}
        self._without_hash = {_without_hash(identity): obj for identity, obj in self._compiled.items()}
        folder = f"overlays/{environment.name}"
        self._patches = [PatchFile(patch, f"{folder}/{patch.declared.path}") for patch in patches]

    def of(self, obj: Obj) -> Locator:
        """Return the locator of a finished object's fields."""
        identity = object_id(obj)
        # A patched ConfigMap that Kustomize generates has another hash in its name.
        compiled = self._compiled.get(identity) or self._without_hash.get(_without_hash(identity))
        return partial(self._place, obj, compiled)

    def _place(self, final: Obj, compiled: Obj | None, route: Route, /, *, key: bool = False) -> Place:
        if compiled is not None and _at(final, route) != _at(compiled, route):
            for patch in reversed(self._patches):
                place = patch.place(compiled, final, route, key=key)
                if place is not None:
                    return place
        return Origin(self._environment, compiled or final).place(route, key=key)


def _without_hash(identity: ObjectId) -> ObjectId:
    if identity.kind != "ConfigMap":
        return identity
    return identity._replace(name=identity.name.rpartition("-")[0])


def _at(value: Json, route: Route) -> Json:
    for segment in route:
        if isinstance(value, str):
            return value  # within a ConfigMap's text
        try:
            value = value[segment]
        except (IndexError, KeyError, TypeError):
            return _MISSING
    return value
