"""What a change to the compiled tree does: object by object, and in plain words."""

from compiler.diff.compare import Change, compare
from compiler.diff.effect import Effect
from compiler.diff.fields import ABSENT, FieldChange
from compiler.diff.machine import as_json
from compiler.diff.meaning import effects
from compiler.diff.render import MARKER, as_markdown, as_text
from compiler.diff.side import Side
from compiler.diff.source import folder_side, revision_side

__all__ = [
    "ABSENT",
    "MARKER",
    "Change",
    "Effect",
    "FieldChange",
    "Side",
    "as_json",
    "as_markdown",
    "as_text",
    "compare",
    "effects",
    "folder_side",
    "revision_side",
]
