"""The stages in their order: what `compile` and `check` have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from compiler import runbook, talos
from compiler.check import check, check_scenes, unused_ignores
from compiler.check.ignores import Entry
from compiler.delivery import deliver
from compiler.diagnostics import Diagnostic, sorted_unique
from compiler.errors import InputError
from compiler.kustomize.layout import lay_out
from compiler.kustomize.patches import UserPatch
from compiler.kustomize.tree import Tree
from compiler.load import find_inputs, load_document
from compiler.model.environment import Project, read_project
from compiler.patchfiles import read_patches
from compiler.scenes import compiled_scene
from compiler.tools import find_tool
from compiler.validate import Toolset, validate_tree


@dataclass(frozen=True)
class Built:
    """A compiled tree with the project it came from and the warnings on the way.

    `patches` are the users' own, by environment; `ignored` are the `ignore` entries that were of use so far.
    """

    project: Project
    tree: Tree
    diagnostics: list[Diagnostic] = field(default_factory=list)
    patches: Mapping[str, Sequence[UserPatch]] = field(default_factory=dict)
    ignored: frozenset[Entry] = frozenset()

    @property
    def files(self) -> dict[str, str]:
        """Every file of out/, by path relative to it."""
        return self.tree.files

    @property
    def summary(self) -> str:
        """What was compiled, in a few words."""
        objects = sum(len(root.expected) for root in self.tree.roots.values())
        names = ", ".join(environment.name for environment in self.project.environments)
        return f"{names}: {objects} objects in {len(self.files)} files"


def read(root: Path) -> Project:
    """Return what people wrote below `root`.

    Raises InputError with every mistake in every input, NothingToCompileError where there is no input, and
    EnvironmentFailure where one cannot be read.
    """
    inputs = find_inputs(root)
    problems: list[Diagnostic] = []
    documents = {}
    for path in (inputs.stack, *inputs.overlays):
        try:
            documents[path] = load_document(path, root)
        except InputError as error:
            problems += error.diagnostics
    if problems:
        raise InputError(problems)
    overlays = {path.parent.name: documents[path] for path in inputs.overlays}
    return read_project(documents[inputs.stack], overlays)


def build(root: Path) -> Built:
    """Return the compiled tree of the project below `root`, in memory. Raises as `read` does."""
    project = read(root)
    found = check(project)
    errors = [item for item in found.diagnostics if item.is_error]
    patches = {}
    for environment in project.environments:
        try:
            patches[environment.name] = read_patches(environment, root)
        except InputError as error:
            errors += error.diagnostics
    if errors:
        raise InputError([*found.diagnostics, *errors])
    tree = lay_out(project.stack, project.environments, patches)
    deliver(tree, project)
    for environment in project.environments:
        talos.add(tree, environment)
        runbook.add(tree, environment)
    return Built(project, tree, found.diagnostics, patches, found.used)


def validated(built: Built, root: Path, say: Callable[[str], None]) -> Built:
    """Return the tree after kustomize, kubeconform and the rules on finished objects have passed it.

    `say` hears of what takes long: the first build of a tool. Raises InputError with what they say against the tree,
    and EnvironmentFailure where they cannot be had.
    """
    tools = Toolset(kubeconform=find_tool("kubeconform", root, say), kustomize=find_tool("kustomize", root, say))
    result = validate_tree(built.tree, tools, root)
    found = sorted_unique([*built.diagnostics, *result.diagnostics])
    if any(item.is_error for item in found):
        raise InputError(found)
    scenes = [
        (environment.name, compiled_scene(environment, built.tree, result.built, built.patches[environment.name]))
        for environment in built.project.environments
    ]
    checked = check_scenes(built.project, scenes)
    unused = unused_ignores(built.project, built.ignored | checked.used)
    found = sorted_unique([*found, *checked.diagnostics, *unused])
    if any(item.is_error for item in found):
        raise InputError(found)
    return replace(built, diagnostics=found, ignored=built.ignored | checked.used)
