"""Compares compiled objects with those of the upstream charts, through a list of intended differences.

A path in the list reads like `spec.template.spec.containers[exporter].env[NODE_NAME]`: items of lists that Kubernetes
treats as mappings go by their key, and so do labels and the like.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Final

from compiler.components import dcgm_counters, plugin_config
from compiler.kustomize.generated import rename_config_maps
from compiler.objects import Json, Obj
from compiler.yaml.readback import load_all

ANYTHING: Final = "*"
"""In the list: whatever upstream has there. Only allowed where gpuc has nothing."""


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


ABSENT: Final = _Absent()
_KEYS: Final[Mapping[str, Callable[[Json], str]]] = {
    "containers": lambda item: str(item["name"]),
    "initContainers": lambda item: str(item["name"]),
    "env": lambda item: str(item["name"]),
    "volumes": lambda item: str(item["name"]),
    "volumeMounts": lambda item: str(item["mountPath"]),
    "ports": lambda item: str(item["name"]),
    "metrics": lambda item: str(item[0]),
    "subjects": lambda item: str(item["kind"]),
    "versions": lambda item: str(item["name"]),
    "rules": lambda item: ",".join([*item["resources"], *item.get("resourceNames", [])]),
}
_NAME: Final = re.compile(r"[A-Za-z]\w*")


@dataclass(frozen=True, eq=False)
class Pair:
    """An upstream object and the compiled one in its place, as `Kind/name`; `ours` may be a pattern.

    `renamed` maps upstream's names of containers and volumes to gpuc's.
    """

    upstream: str
    ours: str
    renamed: Mapping[str, Mapping[str, str]]

    @property
    def shown(self) -> str:
        """The compiled object without the hash in its name."""
        return self.ours.removesuffix("-*")


@dataclass(frozen=True)
class Difference:
    """One field that differs between the two objects of a pair; `obj` is the compiled one as the list names it."""

    obj: str
    path: str
    upstream: Json
    ours: Json

    def __str__(self) -> str:
        return f"{self.obj} {self.path}: upstream has {self.upstream!r}, gpuc has {self.ours!r}"


@dataclass(frozen=True, eq=False)
class Intended:
    """A difference on the list. `objects` are patterns of `Kind/name`; `path` may contain `*`."""

    objects: tuple[str, ...]
    path: str
    upstream: Json
    ours: Json

    def covers(self, found: Difference) -> tuple[str, ...]:
        """Return the object patterns by which this entry explains a difference; none where it does not."""
        path = re.escape(self.path).replace(r"\*", ".*")
        explained = self.upstream == ANYTHING or _same(self.upstream, found.upstream)
        if not re.fullmatch(path, found.path) or not explained or not _same(self.ours, found.ours):
            return ()
        return tuple(pattern for pattern in self.objects if fnmatchcase(found.obj, pattern))

    def __str__(self) -> str:
        return f"{', '.join(self.objects)} {self.path}: upstream {self.upstream!r}, gpuc {self.ours!r}"


@dataclass(frozen=True)
class Listed:
    """The list of intended differences, for one way of sharing."""

    pairs: tuple[Pair, ...]
    left_out: tuple[str, ...]
    added: tuple[str, ...]
    fields: tuple[Intended, ...]


def read_list(text: str, sharing: str) -> Listed:
    """Return the part of the list that holds for a sharing strategy; every entry must give its reason."""
    (document,) = load_all(text)
    entries = {part: [item for item in document[part] if item.get("only", sharing) == sharing] for part in document}
    for item in (entry for part in entries.values() for entry in part):
        assert len(str(item["reason"]).split()) >= 3, item
    pairs = tuple(Pair(item["upstream"], item["ours"], item.get("renamed", {})) for item in entries["pairs"])
    fields = tuple(
        Intended(tuple(item["objects"]), item["path"], item.get("upstream", ABSENT), item.get("ours", ABSENT))
        for item in entries["fields"]
    )
    assert all(entry.ours is ABSENT for entry in fields if entry.upstream == ANYTHING)
    left_out = tuple(item["object"] for item in entries["leftOut"])
    return Listed(pairs, left_out, tuple(item["object"] for item in entries["added"]), fields)


@dataclass
class Outcome:
    """What a comparison found: differences that nobody meant, and entries of the list that no longer occur."""

    unlisted: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)


def compare(upstream: Sequence[Obj], ours: Sequence[Obj], listed: Listed) -> Outcome:
    """Compare two sets of objects through the list."""
    outcome = Outcome()
    theirs, compiled = _by_name(upstream), _by_name(ours)
    paired = {pair: _only_match(pair.ours, compiled) for pair in listed.pairs}
    _account(outcome, "upstream", theirs, [pair.upstream for pair in listed.pairs], listed.left_out)
    _account(outcome, "gpuc", compiled, [name for name in paired.values() if name], listed.added)
    names = {pair.upstream: pair.shown for pair, name in paired.items() if name}
    stable = {name.partition("/")[2]: pair.shown.partition("/")[2] for pair, name in paired.items() if name}
    used: set[tuple[Intended, str]] = set()
    for pair, name in paired.items():
        if not name or pair.upstream not in theirs:
            outcome.stale.append(f"the pair {pair.upstream} and {pair.ours}")
            continue
        expected = _translated(theirs[pair.upstream], pair, names, outcome)
        actual = rename_config_maps({**compiled[name], "metadata": _unnamed(compiled[name])}, stable)
        for found in _differences(pair.shown, expected, actual):
            covering = [(entry, pattern) for entry in listed.fields for pattern in entry.covers(found)]
            used.update(covering)
            if not covering:
                outcome.unlisted.append(str(found))
    for entry in listed.fields:
        idle = [pattern for pattern in entry.objects if (entry, pattern) not in used]
        outcome.stale += [f"{pattern}, in the entry {entry}" for pattern in idle]
    return outcome


def _by_name(objects: Sequence[Obj]) -> dict[str, Obj]:
    found = {f"{obj['kind']}/{obj['metadata']['name']}": obj for obj in objects}
    assert len(found) == len(objects)
    return found


def _only_match(pattern: str, names: Mapping[str, Obj]) -> str | None:
    found = [name for name in names if fnmatchcase(name, pattern)]
    return found[0] if len(found) == 1 else None


def _account(
    outcome: Outcome, side: str, objects: Mapping[str, Obj], paired: Sequence[str], listed: Sequence[str]
) -> None:
    """Note objects of one side that are neither paired nor listed, and listed ones that are not there."""
    outcome.unlisted += [f"{side} has {name}" for name in objects if name not in {*paired, *listed}]
    outcome.stale += [f"{side}'s {name}" for name in listed if name not in objects]


def _unnamed(obj: Obj) -> Obj:
    return {key: value for key, value in obj["metadata"].items() if key != "name"}


def _translated(obj: Obj, pair: Pair, names: Mapping[str, str], outcome: Outcome) -> Obj:
    """Return an upstream object under gpuc's names: its references follow the pairs."""
    renaming = _Renaming(pair, names)
    result: Obj = renaming.walk({**obj, "metadata": _unnamed(obj)}, "")
    declared = {(part, name) for part, renames in pair.renamed.items() for name in renames}
    outcome.stale += [f"{part[:-1]} {name} of {pair.upstream}" for part, name in sorted(declared - renaming.used)]
    return result


class _Renaming:
    """Puts gpuc's names into an upstream object, and notes which local names occurred."""

    def __init__(self, pair: Pair, names: Mapping[str, str]) -> None:
        self.used: set[tuple[str, str]] = set()
        self._pair = pair
        self._names = names

    def walk(self, value: Json, parent: str) -> Json:
        if isinstance(value, list):
            return [self.walk(item, parent) for item in value]
        if not isinstance(value, dict):
            return self._reference("ServiceAccount", value) if parent == "serviceAccountName" else value
        result = {key: self.walk(item, key) for key, item in value.items()}
        if parent in {"containers", "initContainers"}:
            result["name"] = self._local("containers", result["name"])
        elif parent in {"volumes", "volumeMounts"}:
            result["name"] = self._local("volumes", result["name"])
        elif parent == "configMap":
            result["name"] = self._reference("ConfigMap", result["name"])
        elif parent in {"roleRef", "subjects"}:
            result["name"] = self._reference(result["kind"], result["name"])
        return result

    def _reference(self, kind: str, name: str) -> str:
        return self._names.get(f"{kind}/{name}", f"{kind}/{name}").partition("/")[2]

    def _local(self, part: str, name: str) -> str:
        new = self._pair.renamed.get(part, {}).get(name)
        if new:
            self.used.add((part, name))
        return new or name


def _same(one: Json, other: Json) -> bool:
    """Return whether two values are the same in JSON, where true is not 1."""
    return json.dumps(one, sort_keys=True, default=repr) == json.dumps(other, sort_keys=True, default=repr)


def _differences(obj: str, upstream: Json, ours: Json, path: str = "", parent: str = "") -> Iterator[Difference]:
    if _same(upstream, ours):
        return
    left, right = _as_mapping(upstream, parent), _as_mapping(ours, parent)
    if left is None or right is None:
        yield Difference(obj, path, upstream, ours)
        return
    keyed = isinstance(upstream, list)
    for key in dict.fromkeys([*left, *right]):
        plain = not keyed and _NAME.fullmatch(key)
        where = f"{path}.{key}".lstrip(".") if plain else f"{path}[{key}]"
        yield from _differences(obj, left.get(key, ABSENT), right.get(key, ABSENT), where, "" if keyed else key)


def _as_mapping(value: Json, parent: str) -> Mapping[str, Json] | None:
    if isinstance(value, dict):
        return value
    key = _KEYS.get(parent)
    if key is None or not isinstance(value, list):
        return None
    found = {key(item): item for item in value}
    return found if len(found) == len(value) else None


def comparable(obj: Obj) -> Obj:
    """Return a compiled object as the charts' are kept: the contents of ConfigMaps as data."""
    if obj["kind"] != "ConfigMap":
        return obj
    return {**obj, "data": dict(_content(key, text) for key, text in obj["data"].items())}


def _content(key: str, text: str) -> tuple[str, Json]:
    """Return a file of a ConfigMap under the key that the charts give it."""
    if key == dcgm_counters.FILE:
        return "metrics", [[item.strip() for item in line.split(",")[:2]] for line in text.splitlines()]
    (document,) = load_all(text)
    return {plugin_config.KEY: "default"}.get(key, key), document
