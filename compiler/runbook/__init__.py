"""The page and the picture of an environment, generated from the model so that they cannot drift from it."""

from compiler.runbook.graph import mermaid
from compiler.runbook.output import add
from compiler.runbook.svg import svg

__all__ = ["add", "mermaid", "svg"]
