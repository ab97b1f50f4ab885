"""`out/docs/<overlay>.md`, and its picture beside it."""

from __future__ import annotations

from compiler.kustomize.tree import Tree
from compiler.model.environment import Environment
from compiler.runbook.page import page


def add(tree: Tree, environment: Environment) -> None:
    """Add the runbook page of an environment."""
    tree.add(f"docs/{environment.name}.md", page(environment), "data")
