"""Finds the place in a user's patch that a field of a finished object comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from compiler.check.scene import Route
from compiler.diagnostics import Place
from compiler.errors import InputError
from compiler.kustomize.patches import UserPatch, selects
from compiler.load import Document, load_text
from compiler.objects import Json, Obj

# Keys by which Kubernetes merges the items of lists in strategic merge patches, the likeliest first.
_MERGE_KEYS = ("name", "mountPath", "containerPort", "port", "devicePath", "ip", "topologyKey", "uid")
_IDENTITY = ("apiVersion", "kind", "metadata")
_LIST = "operations"


@dataclass(frozen=True)
class PatchFile:
    """A user's patch with the places of everything in its file."""

    patch: UserPatch
    path: str

    @cached_property
    def _document(self) -> Document | None:
        """The file with places; None for YAML that only Kubernetes' own reader takes, such as one with anchors."""
        text = self.patch.text
        if isinstance(self.patch.data, list):
            # The reader wants a mapping: give the list a key, on a line of its own.
            text = "\n".join("" if line.strip() == "---" else line for line in text.split("\n"))
            flow = text.lstrip().startswith("[")
            text = f"{{{_LIST}:\n{text}\n}}\n" if flow else f"{_LIST}:\n{text}"
        try:
            return load_text(text, self.path)
        except InputError:
            return None

    def _within(self, document: Document, route: Route, *, key: bool) -> Place:
        if not isinstance(self.patch.data, list):
            return document.place(route, key=key)
        place = document.place((_LIST, *route), key=key)
        return replace(place, line=max(1, place.line - 1))

    def place(self, obj: Obj, final: Obj, route: Route, *, key: bool) -> Place | None:
        """Return where this patch sets or removes the field at a route, or None where it does not.

        `obj` is the object as it was compiled, `final` what it is after all patches; list indexes in the route are
        those of `final`. `key` asks for the place of the field's key where the patch sets just this field.
        """
        if not selects(self.patch, obj):
            return None
        data = self.patch.data
        at = _json_patch(data, route) if isinstance(data, list) else _merge_patch(data, final, route, key=key)
        if at is None:
            return None
        if self._document is None:
            return self.patch.place
        inner, at_key = at
        return self._within(self._document, inner, key=at_key)


def _merge_patch(data: Json, final: Json, route: Route, *, key: bool) -> tuple[Route, bool] | None:
    """Return the route within a strategic merge patch, and whether its key is meant, not its value."""
    inner: list[str | int] = []
    for segment in route:
        if isinstance(data, dict) and "$patch" in data and segment not in data:
            return (*inner, "$patch"), False
        if isinstance(data, dict) and segment in data:
            inner.append(segment)
            data, final = data[segment], _child(final, segment)
        elif isinstance(data, list) and isinstance(segment, int):
            index = _item(data, final, segment)
            if index is None:
                return None
            inner.append(index)
            data, final = data[index], _child(final, segment)
        elif isinstance(data, dict | list):
            # Not mentioned here: this patch leaves it as it is.
            return None
        else:
            return tuple(inner), data is None  # removed or replaced as a whole
    if not isinstance(data, dict):
        return tuple(inner), key or data is None
    # The route's end is a part that the patch goes into: narrow it down to what it changes, where that is one thing.
    while isinstance(data, dict):
        keys = [name for name in data if inner or name not in _IDENTITY]
        if len(keys) != 1:
            break
        inner.append(keys[0])
        data = data[keys[0]]
    return tuple(inner), True


def _child(value: Json, segment: str | int) -> Json:
    if isinstance(value, dict):
        return value.get(segment)
    if isinstance(value, list) and isinstance(segment, int) and segment < len(value):
        return value[segment]
    return None


def _item(items: list[Json], final: Json, index: int) -> int | None:
    """Return the index in a patch's list of the item that is at `index` in the final list."""
    item = _child(final, index)
    if items == final:
        return index if index < len(items) else None
    if isinstance(item, dict):
        for key in _MERGE_KEYS:
            if key in item:
                same = [at for at, other in enumerate(items) if isinstance(other, dict) and other.get(key) == item[key]]
                return same[0] if same else None
    return items.index(item) if item in items else None


def _json_patch(operations: Sequence[Json], route: Route) -> tuple[Route, bool] | None:
    """Return the route of the last operation of a JSON 6902 patch that concerns a field."""
    wanted = [str(segment) for segment in route]
    for index in range(len(operations) - 1, -1, -1):
        operation = operations[index]
        if not isinstance(operation, dict) or operation.get("op") == "test":
            continue
        path = [part.replace("~1", "/").replace("~0", "~") for part in str(operation.get("path", "")).split("/")[1:]]
        shared = min(len(path), len(wanted))
        if not all(_same(ours, theirs) for ours, theirs in zip(path[:shared], wanted[:shared], strict=True)):
            continue
        if len(path) <= len(wanted) and "value" in operation:
            return (index, "value", *route[len(path) :]), False
        return (index, "path"), False
    return None


def _same(ours: str, theirs: str) -> bool:
    """Compare a segment of an operation's path with one of a route; `-` is whatever was appended."""
    return ours == theirs or (ours == "-" and theirs.isdecimal())
