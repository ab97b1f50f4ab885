"""A comparison for machines, in the form of `compiler/schemas/diff.schema.json`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from compiler.diff.compare import Change
from compiler.diff.effect import Effect
from compiler.diff.fields import ABSENT, FieldChange
from compiler.objects import Obj


def as_json(changes: Sequence[Change], effects: Sequence[Effect]) -> str:
    """Return the comparison as JSON text; a side that a field does not have is left out."""
    content = {
        "version": 1,
        "effects": [{"weight": effect.weight, "text": effect.text} for effect in effects],
        "changes": [_change(change) for change in changes],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _change(change: Change) -> Obj:
    return {
        "change": change.kind,
        "root": change.root,
        "apiVersion": change.id.api_version,
        "kind": change.id.kind,
        "namespace": change.id.namespace,
        "name": change.id.name,
        "restarts": change.restarts,
        "noise": change.noise,
        "fields": [_field(item) for item in change.fields],
    }


def _field(item: FieldChange) -> Obj:
    sides = {"old": item.old, "new": item.new}
    return {"path": item.path, **{name: value for name, value in sides.items() if value is not ABSENT}}
