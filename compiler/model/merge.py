"""JSON merge patch (RFC 7396), with which an overlay overrides the stack."""

from __future__ import annotations

from compiler.objects import Json


def merge(target: Json, patch: Json) -> Json:
    """Return the target with the patch applied: mappings merge, null removes, anything else replaces.

    Neither argument changes.
    """
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge(result.get(key), value)
    return result
