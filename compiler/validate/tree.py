"""Validates a whole tree: kustomize builds what the compiler had in memory, and kubeconform passes every object."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from compiler.diagnostics import Diagnostic, Place, sorted_unique
from compiler.errors import InputError
from compiler.kustomize.tree import Tree
from compiler.objects import Obj
from compiler.validate import codes
from compiler.validate.agreement import compare
from compiler.validate.kubeconform import Request, Source, findings_by_file, validate_objects
from compiler.validate.kustomize_build import build
from compiler.validate.references import KUSTOMIZATION, References
from compiler.validate.staging import staging, write_files

_CHECKED_ROLES: Final = ("manifest", "kustomization")
_PROCESSES: Final = 4
# Characters that JSON may hold as they are and YAML may not.
_NOT_YAML: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


@dataclass(frozen=True)
class Toolset:
    """The programs that validation runs."""

    kubeconform: Path
    kustomize: Path


@dataclass(frozen=True)
class Validated:
    """What validation found, and what every Kustomize root builds to with the user's patches in place.

    `built` is empty where there are errors.
    """

    diagnostics: list[Diagnostic] = field(default_factory=list)
    built: dict[str, list[Obj]] = field(default_factory=dict)


def validate_tree(tree: Tree, tools: Toolset, staging_parent: Path) -> Validated:
    """Check a tree before it becomes out/.

    - Every manifest and kustomization.yaml, and every object that a root must build to, passes kubeconform once for
      each Kubernetes version that it is used with.
    - `kustomize build` of every root, without the user's patches, gives the objects that the compiler had in memory.
    - With the user's patches it builds too, and the result passes kubeconform.

    `staging_parent` is the folder (on the repository's file system) in which a staging folder is made and removed.

    Raises:
        EnvironmentFailure: a tool or the disk failed.
    """
    references = References(tree.files)
    problems = [*_unaccounted(tree), *references.problems()]
    if problems:
        return Validated(sorted_unique(problems))
    with staging(staging_parent) as folder:
        return _Validation(tree, tools, references, folder).run()


class _Validation:
    """One validation, in its staging folder: `out/` is the tree, `plain/` the tree without the user's patches."""

    def __init__(self, tree: Tree, tools: Toolset, references: References, folder: Path) -> None:
        self._tree = tree
        self._tools = tools
        self._folder = folder
        self._closures = {root: references.closure(root) for root in tree.roots}
        self._patched = {root for root in tree.roots if tree.roots[root].plain is not None}

    def run(self) -> Validated:
        """Lay the files out, run the tools side by side, and gather what they say."""
        self._lay_out()
        roots = self._tree.roots
        with ThreadPoolExecutor(_PROCESSES) as pool:
            builds = {root: pool.submit(self._build, root, plain=root in self._patched) for root in roots}
            final = {root: pool.submit(self._build, root, plain=False) for root in self._patched}
            # What must be built is checked while it is being built: the comparison makes them the same.
            checks = [pool.submit(self._check, version) for version in self._versions()]
        found = [finding for check in checks for finding in check.result()]
        built: dict[str, list[Obj]] = {}
        for root, future in builds.items():
            objects = _result(future, found)
            if objects is not None:
                found += compare(roots[root].expected, objects, Place(f"out/{root}/{KUSTOMIZATION}"))
                built[root] = objects
        for root, future in final.items():
            objects = _result(future, found)
            if objects is not None:
                # What is wrong already without the patches would only be said again.
                found += [] if found else self._check_patched(root, objects)
                built[root] = objects
        found = sorted_unique(found)
        return Validated(found, {} if any(finding.is_error for finding in found) else built)

    def _lay_out(self) -> None:
        write_files(self._folder / "out", self._tree.files)
        if self._patched:
            plain = {f"{root}/{KUSTOMIZATION}": self._tree.roots[root].plain or "" for root in self._patched}
            write_files(self._folder / "plain", {**self._tree.files, **plain})

    def _build(self, root: str, *, plain: bool) -> list[Obj]:
        folder = f"{'plain' if plain else 'out'}/{root}"
        return build(self._tools.kustomize, self._folder, folder, f"out/{root}")

    def _versions(self) -> list[str]:
        return sorted({root.kubernetes for root in self._tree.roots.values()})

    def _check(self, version: str) -> list[Diagnostic]:
        """Have kubeconform check the files that are used with a version, and what its roots must build to."""
        roots = [name for name, root in self._tree.roots.items() if root.kubernetes == version]
        used = self._used(version, roots)
        checked = [path for path in used if self._tree.roles[path] in _CHECKED_ROLES]
        files = {f"out/{path}": Source(f"out/{path}", self._tree.files[path]) for path in checked}
        objects: dict[str, Source] = {}
        for name in roots:
            objects |= self._write_objects("expected", name, self._tree.roots[name].expected)
        request = Request({**files, **objects}, len(checked) + len(objects), version)
        found = findings_by_file(self._tools.kubeconform, self._folder, request)
        # An object that is wrong in its file is wrong in what is built from it, too: say it once, at the file.
        wrong = [finding for name in found if name not in objects for finding in found[name]]
        return wrong or [finding for findings in found.values() for finding in findings]

    def _used(self, version: str, roots: Iterable[str]) -> list[str]:
        """Return the files that are used with a version; what no root uses (delivery, say) goes to the oldest."""
        used = frozenset[str]().union(*(self._closures[name] for name in roots))
        if version == min(self._versions(), key=_minor):
            used |= self._tree.files.keys() - frozenset[str]().union(*self._closures.values())
        return sorted(used)

    def _check_patched(self, root: str, objects: Sequence[Obj]) -> list[Diagnostic]:
        files = self._write_objects("patched", root, objects)
        request = Request(files, len(objects), self._tree.roots[root].kubernetes)
        found = validate_objects(self._tools.kubeconform, self._folder, request)
        return [replace(finding, help=_with_patches(finding.help)) for finding in found]

    def _write_objects(self, kind: str, root: str, objects: Sequence[Obj]) -> dict[str, Source]:
        """Write objects as files of their own, and return where to point for each."""
        texts = {f"{kind}/{root}/{index}.json": _json(obj) for index, obj in enumerate(objects)}
        write_files(self._folder, texts)
        return {name: self._source(root, obj) for name, obj in zip(texts, objects, strict=True)}

    def _source(self, root: str, obj: Obj) -> Source:
        """Return the file that an object stems from; where names tell nothing, the root's kustomization.yaml."""
        name = f"/{obj['kind'].lower()}-{obj['metadata']['name']}.yaml"
        path = next((path for path in sorted(self._closures[root]) if path.endswith(name)), f"{root}/{KUSTOMIZATION}")
        return Source(f"out/{path}", self._tree.files[path])


def _minor(version: str) -> int:
    return int(version.partition(".")[2])


def _json(obj: Obj) -> str:
    text = json.dumps(obj, ensure_ascii=False)
    return _NOT_YAML.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _with_patches(cure: str | None) -> str:
    return f"{f'{cure}; ' if cure else ''}it comes from the overlay's patches, without them the object is valid"


def _result(future: Future[list[Obj]], found: list[Diagnostic]) -> list[Obj] | None:
    """Return what a build gave, or None after adding why it failed."""
    try:
        return future.result()
    except InputError as error:
        found += error.diagnostics
        return None


def _unaccounted(tree: Tree) -> list[Diagnostic]:
    """Return a finding where something would go unchecked: no root, or a YAML file that nobody said what it is."""
    found = [] if tree.roots else [Diagnostic(codes.NOT_CHECKED, "the tree has no Kustomize root, so nothing to check")]
    for path in sorted(tree.files):
        role = tree.roles.get(path)
        wrong = path.endswith(f"/{KUSTOMIZATION}") != (role == "kustomization")
        if role is None or wrong:
            message = f"out/{path} is {role or 'nothing'} to the compiler, so it would go unchecked"
            found.append(Diagnostic(codes.NOT_CHECKED, message, help="this is a bug in gpuc: please report it"))
    return found
