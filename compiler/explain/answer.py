"""The answer to where a compiled line comes from: the input's line or the default, and the reason."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from compiler.diagnostics import Place
from compiler.explain.fields import Field, find_field, read_fields
from compiler.explain.rows import Row
from compiler.explain.subject import Subject, about, component_of, subject_of
from compiler.explain.table import ROWS
from compiler.kustomize.patches import UserPatch
from compiler.load import Document, Route
from compiler.model.base import Model
from compiler.model.describe import description_at
from compiler.model.overlay import Overlay
from compiler.model.stack import GPUStack
from compiler.objects import Json
from compiler.pipeline import Built

OUT = "out/"
_KINDS = {"nvidia-device-plugin-config": "config", "dcgm-exporter-counters": "counters"}
"""Files of generated ConfigMaps, by their folder."""


@dataclass(frozen=True)
class Answer:
    """Where a field comes from.

    `place` is the line of the inputs that decides; where nobody wrote one, `default` says what the setting is for, and
    `place` is the nearest line. `setting` is the input's name.
    """

    path: str
    field: Field
    spelled: str
    place: Place
    setting: str
    default: str | None
    why: str
    source: str
    made_by: str


@dataclass(frozen=True)
class _Input:
    name: str
    place: Place
    written: bool
    meaning: str | None


def answer(built: Built, path: str, wanted: str) -> Answer | None:
    """Return where a field of the file at a path, relative to out/, comes from.

    `wanted` is a field's path, the number of a line, or empty for the file itself. Returns None where there is no such
    field; the file must be one of `built.files`.
    """
    text = built.files[path]
    document = read_fields(text, path)
    field = _field(document, text, wanted)
    if field is None:
        return None
    subject = subject_of(built, path, document.data if document else None)
    spelled = _spelled(document.data if document else None, field.route)
    patch = _user_patch(built, subject)
    if patch is not None:
        return _of_patch(subject, field, spelled, patch)
    subject = _entry_subject(_of_taint(subject, document, field), field)
    kind = _KINDS.get(PurePosixPath(path).parent.name, subject.kind)
    row = next((row for row in ROWS if row.fits(kind, subject.component, spelled)), None)
    found = _decides(subject, row)
    made_by = f"component {subject.component}: {about(subject.component)}" if subject.component else ""
    return Answer(
        f"{OUT}{path}",
        field,
        spelled,
        found.place,
        found.name,
        None if found.written else found.meaning or "what the stack needs",
        row.why if row else about(subject.component) or "Compiled from the overlay.",
        row.source if row else "",
        made_by,
    )


def _field(document: Document | None, text: str, wanted: str) -> Field | None:
    if not wanted:
        return Field((), None, 1, text.partition("\n")[0])
    if document is not None:
        found = find_field(document, wanted)
        if found is not None:
            return found
    lines = text.splitlines()
    number = int(wanted[:7]) if wanted.isascii() and wanted.isdecimal() else 0
    if 0 < number <= len(lines):
        return Field((), lines[number - 1], number, lines[number - 1])
    return None


def _spelled(data: Json, route: Route) -> str:
    """Spell a route with the names of list items instead of their numbers."""
    text = ""
    for segment in route:
        data = data[segment]
        if isinstance(segment, int):
            name = data.get("name") if isinstance(data, dict) else None
            text += f"[{name if isinstance(name, str) else ''}]"
        else:
            text += f".{segment}" if text else segment
    return text


def _user_patch(built: Built, subject: Subject) -> tuple[int, UserPatch] | None:
    """Return the user's patch that a file is, with its number in the overlay."""
    folder = f"overlays/{subject.environment.name}"
    for patch in built.patches.get(subject.environment.name, ()):
        root = folder if patch.root == "stack" else f"{folder}/{patch.root}"
        if subject.path == f"{root}/{patch.target_path}":
            number = next(
                index for index, one in enumerate(subject.environment.overlay.patches) if one == patch.declared
            )
            return number, patch
    return None


def _of_patch(subject: Subject, field: Field, spelled: str, patch: tuple[int, UserPatch]) -> Answer:
    number, found = patch
    route = ("patches", number, "path")
    why = "A patch of yours, carried into out/ untouched: look in the file itself."
    place = subject.environment.overlay_place(route)
    name = f"patches[{number}].path ({found.declared.path})"
    return Answer(f"{OUT}{subject.path}", field, spelled, place, name, None, why, "", "")


def _of_taint(subject: Subject, document: Document | None, field: Field) -> Subject:
    """Return whose taint a toleration is for, in objects that tolerate those of all pools."""
    if subject.pool is not None or document is None or "tolerations" not in field.route[:-1]:
        return subject
    end = field.route.index("tolerations") + 2
    item: Json = document.data
    for segment in field.route[:end]:
        item = item[segment]
    for index, pool in enumerate(subject.environment.overlay.node_pools):
        if isinstance(item, dict) and any(
            (taint.key, taint.value) == (item.get("key"), item.get("value") or "") for taint in pool.taints
        ):
            return replace(subject, pool=index)
    return subject


def _entry_subject(subject: Subject, field: Field) -> Subject:
    """Return whose entry of a kustomization.yaml is meant: a base names its component, a folder its pool."""
    if subject.kind != "kustomization" or not isinstance(field.value, str):
        return subject
    parts = PurePosixPath(field.value).parts
    pools = [pool.name for pool in subject.environment.overlay.node_pools]
    pool = next((pools.index(part) for part in parts if part in pools), subject.pool)
    component = next((known for part in parts if (known := component_of(part))), subject.component)
    return Subject(subject.path, subject.kind, subject.environment, pool, component, "")


def _decides(subject: Subject, row: Row | None) -> _Input:
    """Return the input that decides: the first that somebody wrote, else the first of all."""
    inputs = [found for name in (row.inputs if row else ("own:",)) if (found := _input(subject, name))]
    inputs = inputs or [found for found in (_input(subject, "own:"), _input(subject, "pool:name")) if found]
    inputs = inputs or [_nearest(subject)]
    return next((one for one in inputs if one.written), inputs[0])


def _nearest(subject: Subject) -> _Input:
    place = subject.environment.overlay_place(("cluster",))
    return _Input("cluster", place, written=True, meaning=None)


def _input(subject: Subject, name: str) -> _Input | None:
    """Return an input by its name in the table, or None where it does not apply to this file."""
    where, _, path = name.partition(":")
    route: Route = tuple(path.split(".")) if path else ()
    environment = subject.environment
    if where in {"pool", "overlay"}:
        if where == "pool":
            index = subject.pool if subject.pool is not None else 0
            route = ("nodePools", index, *route)
        resolved = environment.overlay_document.resolve(route)
        return _Input(
            _name(route),
            environment.overlay_place(route, key=_is_collection(environment.overlay_document, route)),
            written=resolved == route,
            meaning=_meaning(Overlay, route),
        )
    if where == "own":
        if not subject.settings:
            return None
        # One image serves all parts of NFD.
        whole = subject.part and route[:1] in {("version",), ("image",), ("imagePullSecrets",)}
        route = (*(subject.settings[:-1] if whole else subject.settings), *route)
    document = environment.stack_document
    overridden = ("overrides", *route)
    own = environment.overlay_document.resolve(overridden) == overridden
    written = own or document.resolve(route) == route
    holder, at = (environment.overlay_document, overridden) if own else (document, route)
    place = environment.stack_place(route, key=_is_collection(holder, at))
    return _Input(_name(route), place, written=written, meaning=_meaning(GPUStack, route))


def _is_collection(document: Document, route: Route) -> bool:
    value = document.data
    for segment in document.resolve(route):
        value = value[segment]
    return isinstance(value, dict | list)


def _name(route: Route) -> str:
    text = ""
    for segment in route:
        text += f"[{segment}]" if isinstance(segment, int) else f".{segment}" if text else segment
    return text


def _meaning(model: type[Model], route: Route) -> str | None:
    return description_at(model, route)
