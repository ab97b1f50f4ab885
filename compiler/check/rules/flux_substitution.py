"""Flux would substitute what looks like a variable in an object.

What it does: where a Flux Kustomization with postBuild is among the objects, looks for `${NAME}` in all objects that
are not annotated against it.

Why it fails at run time: kustomize-controller replaces it by nothing before 1.9, and fails the reconciliation from 1.9,
unless the variable is given. Dashboards and scripts in ConfigMaps are full of such names. Source:
kustomize-controller's documentation of postBuild.

How to mend it: annotate the object `kustomize.toolkit.fluxcd.io/substitute: disabled`, or write `$${NAME}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from compiler.check.objects.plain import items, mapping, text
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Located, Route, Scene
from compiler.diagnostics import Severity
from compiler.objects import Json

GROUP = "kustomize.toolkit.fluxcd.io"
# A name with a default (${NAME:=x}) is written for substitution. Nothing is tried twice and lengths are limited: a text
# of `${A${A...` would else take hours.
_VARIABLE = re.compile(r"(?<!\$)\$\{([_a-zA-Z][_a-zA-Z0-9]{0,252}+)(?!:?[=-])[^}\n]{0,500}+\}")
_SWITCH = f"{GROUP}/substitute"


def _check(scene: Scene) -> Iterator[Finding]:
    given: set[str] = set()
    active, all_known = False, True
    for item in scene.of_kind("Kustomization"):
        build = mapping(item.get("spec", "postBuild"))
        if item.group != GROUP or not build:
            continue
        active = True
        given |= mapping(build.get("substitute")).keys()
        for _, source in items(build.get("substituteFrom")):
            found = scene.find(text(source.get("kind")), item.namespace, text(source.get("name")))
            all_known = all_known and found is not None
            given |= {key for part in ("data", "stringData") for key in mapping(found and found.get(part))}
    if not active:
        return
    for item in scene.objects:
        marks = {**mapping(item.get("metadata", "labels")), **mapping(item.get("metadata", "annotations"))}
        if item.group != GROUP and marks.get(_SWITCH) != "disabled":
            yield from _in_object(item, given, None if all_known else Severity.WARNING)


def _in_object(item: Located, given: set[str], severity: Severity | None) -> Iterator[Finding]:
    for route, value in _texts(item.obj):
        names = [name for name in dict.fromkeys(_VARIABLE.findall(value)) if name not in given]
        if names:
            yield Finding(
                f"{item} holds ${{{names[0]}}}, which Flux's postBuild substitution empties, or refuses from "
                "kustomize-controller 1.9",
                item.place(route),
                f"annotate it {_SWITCH}: disabled, or write $${{{names[0]}}}",
                severity=severity,
            )


def _texts(obj: Json) -> Iterator[tuple[Route, str]]:
    open_: list[tuple[Route, Json]] = [((), obj)]
    while open_:
        route, value = open_.pop()
        if isinstance(value, str):
            if "${" in value:
                yield route, value
        elif isinstance(value, dict):
            open_ += [((*route, key), inner) for key, inner in value.items()]
        elif isinstance(value, list):
            open_ += [((*route, index), inner) for index, inner in enumerate(value)]


RULE = SceneRule("GPU243", "flux-substitution", _check)
