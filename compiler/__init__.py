"""gpuc: compiles a typed description of a cluster's NVIDIA GPU stack into plain Kustomize manifests."""

__version__ = "0.1.0"
