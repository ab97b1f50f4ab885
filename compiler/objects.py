"""Types for Kubernetes objects as plain data.

Inside the compiler an object is the mapping that its YAML shows, built in the order in which people read it:
apiVersion, kind, metadata, then the rest.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

Json = Any  # str, int, float, bool, None, and lists and dicts of the same
Obj = dict[str, Json]


def value_at(value: Json, route: Iterable[str | int]) -> Json:
    """Return the value at a route of plain data of any shape, or None where there is none."""
    for segment in route:
        if isinstance(value, dict):
            value = value.get(segment)
        elif isinstance(value, list) and isinstance(segment, int) and 0 <= segment < len(value):
            value = value[segment]
        else:
            return None
    return value


class ObjectId(NamedTuple):
    """What makes an object unique in a cluster; `namespace` is empty for cluster-scoped objects."""

    api_version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind} {where}{self.name}"


def object_id(obj: Obj) -> ObjectId:
    """Return the identity of an object; it must have apiVersion, kind and metadata.name."""
    meta = obj["metadata"]
    return ObjectId(obj["apiVersion"], obj["kind"], meta.get("namespace", ""), meta["name"])
