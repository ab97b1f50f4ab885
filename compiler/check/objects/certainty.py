"""How sure a rule can be: what a part of a cluster's objects does not show may be shown by the rest."""

from __future__ import annotations

from compiler.check.scene import Scene
from compiler.diagnostics import Severity


def if_nothing_else(scene: Scene) -> Severity | None:
    """Return the severity of something missing: a warning where somebody else may apply it, else the rule's own."""
    return None if scene.whole else Severity.WARNING


def exists_outside(scene: Scene, kind: str, name: str) -> bool:
    """Return whether an object is declared to exist already, or may exist since the scene is not the whole."""
    return not scene.whole or (kind, name) in scene.external_names
