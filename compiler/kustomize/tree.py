"""The file tree of `out/`, and the objects that each Kustomize root in it must build to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from compiler.diagnostics import Diagnostic
from compiler.errors import InputError
from compiler.objects import Obj
from compiler.yaml.emit import emit

Role = Literal["manifest", "kustomization", "patch", "data"]
HEADER = "# Compiled by gpuc. Edit base/ and overlays/ instead, then run `gpuc compile`.\n"


@dataclass(frozen=True)
class Root:
    """A folder that a GitOps tool applies: the objects it must build to, and the Kubernetes that validates them.

    `expected` leaves the user's own patches out; `plain` is the text of the root's kustomization.yaml without them, or
    None where there are none.
    """

    expected: tuple[Obj, ...]
    kubernetes: str
    plain: str | None = None


@dataclass
class Tree:
    """Files by path relative to out/, what each of them is, and the Kustomize roots among the folders."""

    files: dict[str, str] = field(default_factory=dict)
    roles: dict[str, Role] = field(default_factory=dict)
    roots: dict[str, Root] = field(default_factory=dict)

    def add(self, path: str, text: str, role: Role) -> None:
        """Add a file. Raises InputError when the path is taken by different content."""
        if self.files.get(path, text) != text:
            raise InputError(
                Diagnostic(
                    "GPU060",
                    f"two different files would be written to out/{path}",
                    help="give the objects or patches that end there different names",
                )
            )
        self.files[path] = text
        self.roles[path] = role

    def add_object(self, folder: str, obj: Obj) -> str:
        """Add an object as a file of its own, named after kind and name; return the file's name."""
        name = f"{obj['kind'].lower()}-{obj['metadata']['name']}.yaml"
        self.add(f"{folder}/{name}", emit(obj), "manifest")
        return name

    def add_root(self, folder: str, objects: Sequence[Obj], kubernetes: str) -> None:
        """Add a Kustomize root of plain objects: what it builds to is what is in it."""
        names = [self.add_object(folder, obj) for obj in objects]
        self.add_kustomization(folder, {"resources": sorted(names)})
        self.roots[folder] = Root(tuple(objects), kubernetes)

    def add_kustomization(self, folder: str, content: Obj) -> None:
        """Add a kustomization.yaml; empty parts are left out."""
        self.add(f"{folder}/kustomization.yaml", kustomization(content), "kustomization")


def kustomization(content: Obj) -> str:
    """Return the text of a kustomization.yaml."""
    head = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
    return HEADER + emit({**head, **{key: value for key, value in content.items() if value}})
