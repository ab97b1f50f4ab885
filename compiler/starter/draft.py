"""Inputs in the making: plain data with comments, and the texts that they become."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from compiler.check import check
from compiler.diagnostics import Diagnostic
from compiler.errors import InputError
from compiler.load import Document, load_text
from compiler.model.base import Model
from compiler.model.describe import Location, keys_at
from compiler.model.environment import read_project
from compiler.model.overlay import Overlay
from compiler.model.stack import GPUStack
from compiler.objects import Json, Obj, value_at
from compiler.yaml.emit import emit

Which = Literal["stack", "overlay"]
API_VERSION: Final = "gpuc/v1alpha1"
_SCHEMA: Final = {"stack": "gpustack.schema.json", "overlay": "../overlay.schema.json"}
_FIRST: Final = ("strategy", "os", "managed", "enabled", "version")
_MODELS: Final[dict[Which, type[Model]]] = {"stack": GPUStack, "overlay": Overlay}


@dataclass
class Draft:
    """A stack and one overlay; `name` is the overlay's. Comments stand above the value at their route."""

    name: str
    stack: Obj = field(default_factory=lambda: {"apiVersion": API_VERSION, "kind": "GPUStack"})
    overlay: Obj = field(default_factory=lambda: {"apiVersion": API_VERSION, "kind": "Overlay"})
    comments: dict[tuple[Which, Location], str] = field(default_factory=dict)

    def path(self, which: Which) -> str:
        """Return where the file belongs, relative to the root."""
        return "base/stack.yaml" if which == "stack" else f"overlays/{self.name}/overlay.yaml"

    def data(self, which: Which) -> Obj:
        """Return the file's data."""
        return self.stack if which == "stack" else self.overlay

    def get(self, which: Which, route: Location) -> Json:
        """Return the value at a route, or None."""
        return value_at(self.data(which), route)

    def put(self, which: Which, route: Location, value: Json, comment: str | None = None) -> None:
        """Set the value at a route; mappings on the way are made. An index one past a list's end adds an item."""
        level: Json = self.data(which)
        for segment, following in zip(route, (*route[1:], None), strict=True):
            inner: Json = value if following is None else [] if isinstance(following, int) else {}
            if isinstance(level, list) and isinstance(segment, int):
                if segment == len(level):
                    level.append(inner)
                elif following is None:
                    level[segment] = inner
                level = level[segment]
            else:
                if following is None or not isinstance(level.get(segment), dict | list):
                    level[segment] = inner
                level = level[segment]
        if comment:
            self.comments[which, route] = comment

    def drop(self, which: Which, route: Location) -> None:
        """Take the value at a route away, if it is there, and mappings that are empty then."""
        above = self.get(which, route[:-1]) if route else None
        if isinstance(above, dict):
            above.pop(str(route[-1]), None)
            if not above and len(route) > 1:
                self.drop(which, route[:-1])
        elif isinstance(above, list) and isinstance(route[-1], int) and route[-1] < len(above):
            above.pop(route[-1])
            if not above:
                self.drop(which, route[:-1])

    def text(self, which: Which) -> str:
        """Return the file's text."""
        data = _ordered(self.data(which), _MODELS[which], ())
        body = emit(data).splitlines()
        document = load_text("\n".join(body) + "\n", self.path(which))
        above: dict[int, list[str]] = {}
        for (file, route), comment in self.comments.items():
            if file == which and document.resolve(route) == route:
                line = document.place(route, key=True).line - 1
                above.setdefault(line, []).extend(comment.splitlines())
        lines = [f"# yaml-language-server: $schema={_SCHEMA[which]}"]
        for number, written in enumerate(body):
            indent = written[: len(written) - len(written.lstrip())]
            lines += [f"{indent}# {comment}" for comment in above.get(number, ())]
            lines.append(written)
        return "\n".join(lines) + "\n"

    def files(self) -> dict[str, str]:
        """Return both files by their paths."""
        return {self.path("stack"): self.text("stack"), self.path("overlay"): self.text("overlay")}

    def documents(self) -> dict[Which, Document]:
        """Return both files as they would be read."""
        which: tuple[Which, ...] = ("stack", "overlay")
        return {one: load_text(self.text(one), self.path(one)) for one in which}

    def findings(self) -> list[Diagnostic]:
        """Return what gpuc would say to the two files."""
        try:
            read = self.documents()
            return check(read_project(read["stack"], {self.name: read["overlay"]})).diagnostics
        except InputError as error:
            return error.diagnostics


def _ordered(value: Json, model: type[Model], loc: Location) -> Json:
    """Return data with its keys in the order in which the models describe them."""
    if isinstance(value, list):
        return [_ordered(item, model, (*loc, index)) for index, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    tag = next((value[key] for key in ("strategy", "os", "managed") if isinstance(value.get(key), str)), None)
    known = list(dict.fromkeys(keys_at(model, (*loc, tag) if tag else loc) or keys_at(model, loc)))
    # What says which and whether comes first, as people write it.
    known = [*(key for key in _FIRST if key in value), *known]
    names = sorted(value, key=lambda key: known.index(key) if key in known else len(known))
    return {name: _ordered(value[name], model, (*loc, name)) for name in names}
