"""Tells the clusters of a repository apart: two objects of one name are not applied to the same one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from compiler.check.scene import Located

_MOST: Final = 50


def by_cluster(objects: Sequence[Located]) -> list[list[Located]]:
    """Return the objects that are applied together.

    Where an object is there twice, in different folders, the paths part at a folder for each cluster; what is below
    none of these folders belongs to all.
    """
    paths: dict[object, list[str]] = {}
    for item in objects:
        known = paths.setdefault(item.id, [])
        path = item.place(()).path
        if path not in known:
            known.append(path)
    parting = _parting([found for found in paths.values() if len(found) > 1])
    if parting is None:
        return [list(objects)]
    groups: dict[str, list[Located]] = {}
    shared: list[Located] = []
    for item in objects:
        parts = item.place(()).path.split("/")
        if parts[: len(parting)] == parting and len(parts) > len(parting) + 1:
            groups.setdefault(parts[len(parting)], []).append(item)
        else:
            shared.append(item)
    if len(groups) > _MOST:
        return [list(objects)]
    return [[*shared, *found] for found in groups.values()] or [shared]


def _parting(doubled: Sequence[Sequence[str]]) -> list[str] | None:
    """Return the folder, as its parts, below which the clusters' folders are: the highest where two paths part."""
    found: list[str] | None = None
    for first, second, *_ in doubled:
        one, two = first.split("/")[:-1], second.split("/")[:-1]
        common = 0
        while common < min(len(one), len(two)) and one[common] == two[common]:
            common += 1
        # One folder within the other is a base and its overlay, or a mistake; neither is a cluster.
        if common in (len(one), len(two)):
            continue
        if found is None or common < len(found):
            found = one[:common]
    return found
