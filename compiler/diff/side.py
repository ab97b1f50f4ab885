"""One side of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from compiler.objects import Obj


@dataclass(frozen=True)
class Side:
    """What a side is called, the objects of each Kustomize root, and the files that no GitOps tool applies.

    A plain folder of manifests has one root, "". `files` holds Talos's files and components, by path below out/.
    """

    name: str
    roots: Mapping[str, list[Obj]]
    files: Mapping[str, str] = field(default_factory=dict)
