"""What a change to the compiled tree does: object by object, and in plain words."""

from compiler.diff.compare import Change, compare
from compiler.diff.meaning import effects
from compiler.diff.render import as_json, as_markdown, as_text
from compiler.diff.source import Side, folder_side, revision_side

__all__ = [
    "Change",
    "Side",
    "as_json",
    "as_markdown",
    "as_text",
    "compare",
    "effects",
    "folder_side",
    "revision_side",
]
