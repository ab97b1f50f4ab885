"""Findings as SARIF 2.1.0, which code hosts show beside the lines of a pull request.

Source: OASIS, Static Analysis Results Interchange Format 2.1.0, errata 01.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from urllib.parse import quote

from compiler import __version__
from compiler.diagnostics import Diagnostic, Place, Severity
from compiler.objects import Obj
from compiler.pages import Page, pages

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning"}


def sarif(diagnostics: Sequence[Diagnostic]) -> str:
    """Return a SARIF log with one run; it holds the pages of the rules that found something."""
    known = {page.code: page for page in pages()}
    codes = list(dict.fromkeys(found.rule for found in diagnostics))
    run = {
        "tool": {
            "driver": {
                "name": "gpuc",
                "semanticVersion": __version__,
                "rules": [_rule(code, known.get(code)) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(found, codes.index(found.rule)) for found in diagnostics],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(code: str, page: Page | None) -> Obj:
    if page is None:
        return {"id": code}
    return {
        "id": code,
        "name": page.name,
        "shortDescription": {"text": page.title},
        "help": {"text": page.text()},
        "defaultConfiguration": {"level": page.severity or "error"},
    }


def _result(found: Diagnostic, index: int) -> Obj:
    related = [
        {"id": number, "message": {"text": item.message}, **_location(item.place)}
        for number, item in enumerate(found.related)
    ]
    return {
        "ruleId": found.rule,
        "ruleIndex": index,
        "level": _LEVELS[found.severity],
        "message": {"text": f"{found.message}\n\n{found.help}" if found.help else found.message},
        "locations": [_location(found.place)] if found.place else [],
        **({"relatedLocations": related} if related else {}),
        "partialFingerprints": {"findingAndLine/v1": _fingerprint(found)},
    }


def _location(place: Place) -> Obj:
    region: Obj = {"startLine": place.line, "startColumn": place.column, "endColumn": place.column + place.length}
    if place.text:
        region["snippet"] = {"text": place.text}
    return {
        "physicalLocation": {
            # Relative to the repository's root, as code hosts want it.
            "artifactLocation": {"uri": quote(place.path), "uriBaseId": "%SRCROOT%"},
            "region": region,
        }
    }


def _fingerprint(found: Diagnostic) -> str:
    """Return what stays the same when lines above are added or removed."""
    place = found.place or Place("")
    parts = (found.rule, place.path, place.text.strip(), str(place.column - len(place.text) + len(place.text.lstrip())))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
