"""Turns JSON that nobody vouches for into objects: limits on depth, no Secrets, no names that could mislead."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from compiler.doctor.data import dig, items, name, namespace, text
from compiler.objects import Json, Obj

DEEPEST = 100
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._:-]{0,252}[A-Za-z0-9])?")


class NotReadable(Exception):
    """The text is no JSON that kubectl prints. The message says why, in a few words."""


@dataclass
class Decoded:
    """Objects of an answer; `groups` are API groups where it lists those, and `secrets` counts what was left out."""

    objects: list[Obj] = field(default_factory=list)
    groups: frozenset[str] | None = None
    secrets: int = 0
    misnamed: int = 0


def decode(data: bytes) -> Decoded:
    """Return the objects in what kubectl printed: one object, or a list of any kinds.

    Raises NotReadable.
    """
    try:
        value = json.loads(data)
    except RecursionError:
        raise NotReadable(f"it is nested deeper than {DEEPEST} levels") from None
    except ValueError:
        raise NotReadable("it is not JSON") from None
    _check_depth(value)
    if not isinstance(value, dict):
        raise NotReadable("it is not what kubectl prints with -o json")
    kind = text(value, "kind")
    if kind == "APIGroupList":
        return Decoded(groups=frozenset(text(group, "name") for group in items(value, "groups")))
    found = Decoded()
    if isinstance(value.get("items"), list):
        single = kind.removesuffix("List")
        for one in items(value, "items"):
            # Items of a typed list, as the API itself gives it, come without these two.
            whole = {"apiVersion": value.get("apiVersion"), "kind": single, **one} if single else one
            _add(found, whole)
    else:
        _add(found, value)
    return found


def _add(found: Decoded, obj: Obj) -> None:
    if _is_secret(obj):
        found.secrets += 1
    elif not (_NAME.fullmatch(name(obj)) and (not namespace(obj) or _NAME.fullmatch(namespace(obj)))):
        found.misnamed += 1
    else:
        found.objects.append(obj)


def _is_secret(obj: Obj) -> bool:
    kind, of = text(obj, "kind").lower(), text(obj, "type")
    looks = isinstance(dig(obj, "data"), dict) and (of.startswith("kubernetes.io/") or of == "Opaque")
    return kind in ("secret", "sealedsecret", "secretlist") or looks


def _check_depth(value: Json) -> None:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return
    raise NotReadable(f"it is nested deeper than {DEEPEST} levels")
