"""Patches of the user's own: read as they are, checked for a target, carried into `out/` untouched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from compiler.components.pods import POD_LABEL_INSTANCE
from compiler.diagnostics import Diagnostic, Place
from compiler.errors import InputError
from compiler.kustomize.labelselector import matches_labels, parse_selector
from compiler.model.overlay import Patch
from compiler.objects import Json, Obj

MATCHES_NOTHING = "GPU061"
NOT_A_PATCH = "GPU062"
_MAX_LISTED = 12


@dataclass(frozen=True)
class UserPatch:
    """A patch as the overlay declares it, with the file's text and data, and the places to blame."""

    declared: Patch
    text: str
    data: Json
    place: Place
    """The entry in the overlay."""

    @property
    def root(self) -> str:
        """The Kustomize root that it belongs to."""
        return self.declared.root

    @property
    def target_path(self) -> str:
        """Where its file lies, relative to the root's folder in out/."""
        return f"patches/{self.declared.path.removeprefix('patches/')}"

    def entry(self) -> Obj:
        """Return its entry in a kustomization.yaml."""
        target = self.declared.target
        shown = target.model_dump(mode="json", exclude_none=True) if target else {}
        return {"path": self.target_path, **({"target": shown} if shown else {})}


def check_targets(patches: Sequence[UserPatch], objects: Iterable[Obj]) -> None:
    """Raise InputError for every patch that would change nothing: Kustomize passes over it without a word."""
    candidates = list(objects)
    found = [problem for patch in patches if (problem := _problem(patch, candidates))]
    if found:
        raise InputError(found)


def selects(patch: UserPatch, obj: Obj) -> bool:
    """Return whether a patch is for an object, as it is before any patch.

    The patch must have passed `check_targets`.
    """
    target = patch.declared.target
    wanted = target.model_dump(exclude_none=True) if target else {}
    if wanted:
        return _selected(wanted, obj)
    data = patch.data
    meta = data["metadata"]
    return (
        (data.get("apiVersion"), data.get("kind")) == (obj["apiVersion"], obj["kind"])
        and str(meta.get("name")) in _names(obj)
        and (meta.get("namespace") or "default") == obj["metadata"].get("namespace", "default")
    )


def _problem(patch: UserPatch, objects: list[Obj]) -> Diagnostic | None:
    target = patch.declared.target
    wanted = target.model_dump(exclude_none=True) if target else {}
    if not wanted:
        return _own_target_problem(patch, objects)
    problem = next((said for key, pattern in wanted.items() if (said := _unusable(key, pattern))), None)
    if problem:
        return Diagnostic(NOT_A_PATCH, problem, patch.place)
    if any(_selected(wanted, obj) for obj in objects):
        return None
    described = ", ".join(f"{key} {value}" for key, value in wanted.items())
    return _nothing(patch, described, objects, "Kustomize would leave it out without a word")


def _own_target_problem(patch: UserPatch, objects: list[Obj]) -> Diagnostic | None:
    """Say what is wrong with a patch that names its own target: Kustomize wants exactly one such object."""
    data = patch.data
    if not isinstance(data, dict) or not isinstance(data.get("metadata"), dict):
        return Diagnostic(
            NOT_A_PATCH,
            f"the patch {patch.declared.path} does not say what it changes",
            patch.place,
            help="give it a target, or write a strategic merge patch with apiVersion, kind and metadata.name",
        )
    kind, name, namespace = data.get("kind"), str(data["metadata"].get("name")), data["metadata"].get("namespace")
    described = f"{data.get('apiVersion')} {kind} {name}"
    alike = [
        obj
        for obj in objects
        if obj["kind"] == kind and obj["apiVersion"] == data.get("apiVersion") and name in _names(obj)
    ]
    found = [obj for obj in alike if obj["metadata"].get("namespace", "default") == (namespace or "default")]
    if len(found) == 1:
        return None
    if found:
        return Diagnostic(
            NOT_A_PATCH,
            f"the patch {patch.declared.path} fits {len(found)} objects ({described}), and Kustomize wants one",
            patch.place,
            help=f"name one of {_listed(found)}, or give the patch a target",
        )
    if alike:
        where = alike[0]["metadata"].get("namespace")
        described += f" in namespace {namespace or 'default'}"
        return _nothing(patch, described, alike, f"Kustomize looks for it in that namespace, and it is in {where}")
    return _nothing(patch, described, objects, "Kustomize would refuse it")


def _nothing(patch: UserPatch, wanted: str, objects: list[Obj], consequence: str) -> Diagnostic:
    alike = [obj for obj in objects if obj["kind"] in wanted]
    shown = _listed(alike) if alike else ", ".join(sorted({obj["kind"] for obj in objects})[:_MAX_LISTED])
    return Diagnostic(
        MATCHES_NOTHING,
        f"the patch {patch.declared.path} matches no object ({wanted}): {consequence}",
        patch.place,
        help=f"there are: {shown}",
    )


def _listed(objects: list[Obj]) -> str:
    """Return objects as a person names them in a patch: without the hash of a generated name."""
    return ", ".join(sorted({f"{obj['kind']} {max(_names(obj), key=len)}" for obj in objects})[:_MAX_LISTED])


def _unusable(key: str, pattern: str) -> str | None:
    """Say what is wrong with a value of a target, or return None."""
    if not key.endswith("Selector"):
        return None
    try:
        parse_selector(pattern)
    except ValueError as error:
        return f"{key} {pattern!r} is not a selector: {error}"
    return None


def _names(obj: Obj) -> set[str]:
    """Return an object's names while Kustomize patches: without hash, with and without the pool's suffix."""
    name, meta = str(obj["metadata"]["name"]), obj["metadata"]
    if obj["kind"] == "ConfigMap":
        name = name.rpartition("-")[0]
    instance = meta.get("labels", {}).get(POD_LABEL_INSTANCE)
    return {name, name.removesuffix(f"-{instance}")} if instance else {name}


def _selected(wanted: dict[str, str], obj: Obj) -> bool:
    group, _, version = obj["apiVersion"].rpartition("/")
    meta = obj["metadata"]
    values = {
        "group": {group},
        "version": {version},
        "kind": {obj["kind"]},
        "name": _names(obj),
        "namespace": {meta.get("namespace", "")},
    }
    selected = {"labelSelector": meta.get("labels", {}), "annotationSelector": meta.get("annotations", {})}
    for key, pattern in wanted.items():
        if key in selected:
            if not matches_labels(pattern, selected[key]):
                return False
        elif not any(re.fullmatch(pattern, value) for value in values[key]):
            return False
    return True
