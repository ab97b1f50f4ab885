"""Has kubeconform check manifests against gpuc's own schemas, and makes sure that it did.

kubeconform 0.8.0 is content with an empty set, passes over empty documents, and says "could not find schema" also for a
schema that it cannot use. So what it says about every single object is read, counted, and told apart.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

from compiler.diagnostics import Diagnostic, Place
from compiler.validate import codes, wording
from compiler.validate.locate import at_line, at_route
from compiler.validate.process import run, tool_failed
from compiler.validate.schemas import SCHEMAS, kubernetes_versions, locations, schema_path, suggestion

_FILES_A_RUN: Final = 2000  # a command line has a limit
_CODES: Final = (0, 1)  # 1: something is not valid


class Source(NamedTuple):
    """Where to point for the objects of a checked file: the path to show, and the text to find fields in."""

    shown: str
    text: str


@dataclass(frozen=True)
class Request:
    """What to check: files (paths relative to a folder, to what is shown for them), and how many objects they hold."""

    files: Mapping[str, Source]
    expected: int
    kubernetes: str  # a version such as 1.34


def validate_objects(tool: Path, folder: Path, request: Request, schemas: Path = SCHEMAS) -> list[Diagnostic]:
    """Return what is wrong with the objects in files below a folder; nothing means that each was checked and passed.

    `tool` is kubeconform, `schemas` a folder like compiler/schemas/.

    Raises:
        EnvironmentFailure: kubeconform could not be run, or did not print what it should.
    """
    found = findings_by_file(tool, folder, request, schemas)
    return [finding for findings in found.values() for finding in findings]


def findings_by_file(
    tool: Path, folder: Path, request: Request, schemas: Path = SCHEMAS
) -> dict[str, list[Diagnostic]]:
    """Do what `validate_objects` does, and return the findings by file; those about the whole request are under "".

    Files without findings are not in the result.
    """
    if request.kubernetes not in kubernetes_versions():
        known = kubernetes_versions()
        message = f"there are no schemas for Kubernetes {request.kubernetes}, so nothing could be checked"
        return {"": [Diagnostic(codes.NO_SCHEMA, message, help=f"choose a version from {known[0]} to {known[-1]}")]}
    results: list[dict[str, Any]] = []
    paths = sorted(request.files)
    for start in range(0, len(paths), _FILES_A_RUN):
        results += _run(tool, folder, request.kubernetes, paths[start : start + _FILES_A_RUN], schemas)
    judge = _Judge(request, schemas)
    found: dict[str, list[Diagnostic]] = {}
    for result in results:
        if findings := judge.findings(result):
            found.setdefault(result["filename"], []).extend(findings)
    valid = sum(result["status"] == "statusValid" for result in results)
    if not found and valid != request.expected:
        message = f"kubeconform checked {valid} objects where there are {request.expected}; the rest is unchecked"
        found[""] = [Diagnostic(codes.NOT_CHECKED, message, help="this is a bug in gpuc: please report it")]
    return found


def _run(tool: Path, folder: Path, kubernetes: str, paths: Sequence[str], schemas: Path) -> list[dict[str, Any]]:
    where = [part for location in locations(schemas) for part in ("-schema-location", location)]
    fixed = ("-strict", "-n", "1", "-output", "json", "-verbose", "-kubernetes-version", f"{kubernetes}.0")
    done = run(tool, (*fixed, *where, *paths), folder)
    try:
        results: list[dict[str, Any]] = json.loads(done.stdout)["resources"]
    except (ValueError, KeyError, TypeError) as error:
        raise tool_failed(tool, f"ended with code {done.code} and no result", done.stderr) from error
    if done.code not in _CODES:
        raise tool_failed(tool, f"ended with code {done.code}", done.stderr)
    return results


class _Judge:
    """Turns kubeconform's results into findings."""

    def __init__(self, request: Request, schemas: Path) -> None:
        self._request = request
        self._schemas = schemas

    def findings(self, result: dict[str, Any]) -> list[Diagnostic]:
        """Return the findings about one object; none when it is valid."""
        source = self._request.files[result["filename"]]
        status, message = result["status"], result["msg"]
        if status == "statusValid":
            return []
        if status == "statusInvalid":
            return self._invalid(source, result)
        if status != "statusError":
            return [_unchecked(source)]
        if message.startswith("could not find schema"):
            return [self._no_schema(source, result)]
        line, complaint = wording.unreadable(message)
        return [
            Diagnostic(
                codes.UNREADABLE,
                f"this is not a manifest that Kubernetes can read: {complaint}",
                at_line(source.shown, source.text, line),
                help="repair the YAML here",
            )
        ]

    def _invalid(self, source: Source, result: dict[str, Any]) -> list[Diagnostic]:
        who = f"{result['kind']} {result['name']}".strip()
        path = schema_path(self._schemas, self._request.kubernetes, result["version"], result["kind"])
        causes = wording.causes(result["msg"]) or [wording.Cause((), result["msg"])]
        return [
            Diagnostic(
                codes.BREAKS_SCHEMA,
                f"{who}: {cause.words}; {self._why(result['version'])}",
                at_route(source.shown, source.text, cause.route),
                help=_help(path, cause),
            )
            for cause in causes
        ]

    def _why(self, api_version: str) -> str:
        if api_version.startswith("kustomize.config.k8s.io/"):
            return "kustomize would refuse to build this folder"
        return f"an API server of Kubernetes {self._request.kubernetes} would refuse the object or drop the field"

    def _no_schema(self, source: Source, result: dict[str, Any]) -> Diagnostic:
        path = schema_path(self._schemas, self._request.kubernetes, result["version"], result["kind"])
        who = f"{result['kind']} ({result['version']})"
        place = at_line(source.shown, source.text, 1)
        if path is not None:
            return Diagnostic(
                codes.DAMAGED_SCHEMA,
                f"the schema of {who} is there, but kubeconform cannot use it, so the object is unchecked",
                place,
                help=f"install gpuc again: {path.relative_to(self._schemas)} in its schemas is damaged",
            )
        return Diagnostic(
            codes.NO_SCHEMA,
            f"gpuc has no schema of {who}, so the object is unchecked",
            _at_kind(source, place),
            help="check apiVersion and kind; kinds that gpuc does not know belong into a folder of your own",
        )


def _at_kind(source: Source, otherwise: Place) -> Place:
    place = at_route(source.shown, source.text, ("kind",))
    return place if place.text.startswith("kind:") else otherwise


def _help(path: Path | None, cause: wording.Cause) -> str | None:
    if cause.unknown is None or path is None:
        return None
    close = suggestion(path, cause.route[:-1], cause.unknown)
    return f"did you mean `{close}`?" if close else "remove it, or see where it belongs"


def _unchecked(source: Source) -> Diagnostic:
    return Diagnostic(
        codes.NOT_CHECKED,
        "this file holds no object, or one that was passed over, so nothing in it was checked",
        at_line(source.shown, source.text, 1),
        help="put one object into every manifest, or remove the file",
    )
