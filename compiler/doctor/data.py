"""Reading what a cluster says: hostile data of any shape, so no access may fail."""

from __future__ import annotations

from compiler.objects import Json, Obj

_LONGEST = 400


def dig(value: Json, *route: str) -> Json:
    """Return the value at a route of keys, or None where the data has another shape."""
    for key in route:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def mapping(value: Json, *route: str) -> Obj:
    """Return the mapping at a route, or an empty one; keys that are no text are left out."""
    found = dig(value, *route)
    return {key: item for key, item in found.items() if isinstance(key, str)} if isinstance(found, dict) else {}


def items(value: Json, *route: str) -> list[Obj]:
    """Return the mappings of the list at a route; anything else in it is left out."""
    found = dig(value, *route)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def text(value: Json, *route: str) -> str:
    """Return the text or number at a route as text, or nothing."""
    found = dig(value, *route)
    return str(found) if isinstance(found, str | int) and not isinstance(found, bool) else ""


def number(value: Json, *route: str) -> int:
    """Return the whole number at a route, written as one or as text; 0 where there is none."""
    found = text(value, *route)
    return int(found) if found.isascii() and found.isdigit() and len(found) < 10 else 0  # noqa: PLR2004 -- of any count


def name(obj: Obj) -> str:
    """Return an object's name."""
    return text(obj, "metadata", "name")


def namespace(obj: Obj) -> str:
    """Return an object's namespace; empty for cluster-scoped kinds."""
    return text(obj, "metadata", "namespace")


def labels(obj: Obj) -> Obj:
    """Return an object's labels."""
    return mapping(obj, "metadata", "labels")


def condition(obj: Obj, kind: str) -> Obj:
    """Return the condition of a type, or an empty mapping."""
    return next((one for one in items(obj, "status", "conditions") if text(one, "type") == kind), {})


def short(revision: str) -> str:
    """Return a revision such as main@sha1:5f2b6c1d... with as much of its hash as people compare."""
    before, colon, digest = one_line(revision).rpartition(":")
    return f"{before}{colon}{digest[:12]}"


def one_line(said: str) -> str:
    """Return somebody else's words on one line and not too long, so that they cannot pose as lines of the report."""
    line = " ".join(said[: 4 * _LONGEST].split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."
