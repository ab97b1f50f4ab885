"""kubeconform and kustomize: pinned Go programs, found or built on first use.

Callers want `find_tool` and nothing else. `python -m compiler.tools` makes every tool ready beforehand, which is what
`make setup` runs.
"""

from compiler.tools.find import find_tool

__all__ = ["find_tool"]
