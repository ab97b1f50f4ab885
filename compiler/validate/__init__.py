"""Validation: kustomize builds what the compiler had in memory, and kubeconform passes every object."""

from compiler.validate.schemas import kubernetes_versions
from compiler.validate.tree import Toolset, Validated, validate_tree

__all__ = ["Toolset", "Validated", "kubernetes_versions", "validate_tree"]
