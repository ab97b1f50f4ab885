"""What makes a GitOps tool reconcile the tree, and what applications need to run on the nodes."""

from __future__ import annotations

from compiler.delivery import argocd, flux, prometheus, workload
from compiler.kustomize.tree import Tree
from compiler.model.environment import Project


def deliver(tree: Tree, project: Project) -> None:
    """Add delivery objects and workload components of every environment to a tree that holds their roots."""
    for environment in project.environments:
        flux.add(tree, environment)
        argocd.add(tree, environment)
        workload.add(tree, environment)
        prometheus.add(tree, environment)
