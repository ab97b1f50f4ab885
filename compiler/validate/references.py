"""What the kustomization.yaml files of a tree name, checked before kustomize gets to see them.

kustomize fetches a resource that looks like an address, with git or over HTTP, and can start helm and plugins. gpuc's
trees need none of that: every entry must be a file or a folder of the tree itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from posixpath import dirname, join, normpath
from typing import Final, NamedTuple

from compiler.diagnostics import Diagnostic
from compiler.objects import Json, Obj
from compiler.validate import codes
from compiler.validate.locate import at_route
from compiler.yaml.readback import load_all

KUSTOMIZATION: Final = "kustomization.yaml"

# Fields that run programs, take in files in ways of their own, or are older names of others.
_UNUSED: Final = (
    "bases",
    "configurations",
    "crds",
    "generators",
    "helmChartInflationGenerator",
    "helmCharts",
    "helmGlobals",
    "openapi",
    "patchesJson6902",
    "patchesStrategicMerge",
    "transformers",
    "validators",
    "vars",
)

# Fields whose entries are paths. kustomize's reader takes a field in any letter case for the field.
_PATHS: Final = ("components", "configMapGenerator", "patches", "replacements", "resources", "secretGenerator")
_ITEM_PATHS: Final = ("env", "envs", "files", "path")

# kustomize takes these for addresses even where a folder has that name (sigs.k8s.io/kustomize/api, git/repospec.go).
_ADDRESS: Final = re.compile(r"[:@?%]|^github\.com/|\.git\b|_git/|//", re.IGNORECASE)


class Entry(NamedTuple):
    """A path that a kustomization.yaml names: where in it, and which path of the tree it means."""

    file: str
    route: tuple[str, ...]
    written: str
    path: str


class References:
    """The kustomization.yaml files of a tree, and how they hang together. Paths are relative to out/."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files
        self._parsed = {path: _mapping(text) for path, text in files.items() if path.endswith(f"/{KUSTOMIZATION}")}
        self._folders = {dirname(path) for path in self._parsed}

    def problems(self) -> list[Diagnostic]:
        """Return a finding for every entry that leaves the tree, and for every field that could."""
        found: list[Diagnostic] = []
        for file, content in self._parsed.items():
            found += [
                self._finding(file, (name,), f"uses {name}, which could reach beyond out/")
                for name in sorted(content.keys() & set(_UNUSED))
            ]
            found += [
                self._finding(file, route, f"spells {known} as {route[-1]}, which kustomize takes for the same")
                for route, known in _misspelled(content)
            ]
            for entry in _entries(file, content):
                if _ADDRESS.search(entry.written) or entry.written.startswith("/"):
                    found.append(self._finding(file, entry.route, f"names {entry.written!r}, which is not in out/"))
                elif entry.path not in self._files and entry.path not in self._folders:
                    found.append(self._finding(file, entry.route, f"names {entry.written!r}, which does not exist"))
        return found

    def closure(self, root: str) -> frozenset[str]:
        """Return the files that a folder builds from: resources and kustomization.yaml files, with what those name."""
        reached: set[str] = set()
        waiting = [f"{root}/{KUSTOMIZATION}"]
        while waiting:
            path = waiting.pop()
            if path not in self._files or path in reached:
                continue
            reached.add(path)
            waiting += [
                f"{entry.path}/{KUSTOMIZATION}" if entry.path in self._folders else entry.path
                for entry in _resources(path, self._parsed.get(path, {}))
            ]
        return frozenset(reached)

    def _finding(self, file: str, route: tuple[str, ...], what: str) -> Diagnostic:
        return Diagnostic(
            codes.REACHES_OUT,
            f"this kustomization {what}; a GitOps tool would build something other than what was checked",
            at_route(f"out/{file}", self._files[file], route),
            help="name files and folders inside out/ only",
        )


def _misspelled(content: Obj) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield every field that differs from one that names paths in its letter case only, with that one."""
    yield from _other_case((), content, (*_UNUSED, *_PATHS))
    for name in _PATHS:
        for index, item in enumerate(_list(content.get(name))):
            if isinstance(item, dict):
                yield from _other_case((name, str(index)), item, _ITEM_PATHS)


def _other_case(route: tuple[str, ...], fields: Obj, known: Sequence[str]) -> Iterator[tuple[tuple[str, ...], str]]:
    exact = {name.casefold(): name for name in known}
    for key in map(str, fields):
        name = exact.get(key.casefold())
        if name is not None and name != key:
            yield (*route, key), name


def _entries(file: str, content: Obj) -> Iterator[Entry]:
    """Yield every path that a kustomization names."""
    yield from _resources(file, content)
    for name in ("patches", "replacements"):
        for index, item in enumerate(_list(content.get(name))):
            if isinstance(item, dict) and "path" in item:
                yield _entry(file, (name, str(index), "path"), item["path"])
    for name in ("configMapGenerator", "secretGenerator"):
        for index, item in enumerate(_list(content.get(name))):
            for key in ("files", "envs", "env"):
                given = item.get(key) if isinstance(item, dict) else None
                values = [given] if isinstance(given, str) else _list(given)
                for position, value in enumerate(values):
                    # "key=path" gives the key a name of its own
                    yield _entry(file, (name, str(index), key, str(position)), str(value).rpartition("=")[2])


def _resources(file: str, content: Obj) -> Iterator[Entry]:
    for name in ("resources", "components"):
        for index, value in enumerate(_list(content.get(name))):
            yield _entry(file, (name, str(index)), value)


def _entry(file: str, route: tuple[str, ...], written: Json) -> Entry:
    return Entry(file, route, str(written), normpath(join(dirname(file), str(written))))


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _mapping(text: str) -> Obj:
    """Return the one mapping in a kustomization.yaml; empty for anything else, which kubeconform then reports."""
    documents = load_all(text)
    first = documents[0] if documents else None
    return first if isinstance(first, dict) else {}
