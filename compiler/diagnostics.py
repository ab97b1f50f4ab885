"""The one type in which every stage reports what it found.

A stage collects diagnostics and hands them on; only `compiler.cli` prints them. A finding has exactly one primary
place; further places that explain it are `related`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad a finding is. Errors make the exit code 1; warnings do not."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, order=True)
class Place:
    """A span in a text file, as a person counts it.

    `path` is relative to the repository root, with forward slashes. `line` and `column` start at 1; the column counts
    characters, not bytes. `length` is the number of characters the caret underlines on that line (at least 1).
    `text` is the source line itself, without its newline, so that a renderer never reads a file again.
    """

    path: str
    line: int = 1
    column: int = 1
    length: int = 1
    text: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Related:
    """A second place that explains a finding, with what it contributes ("first defined here")."""

    message: str
    place: Place


@dataclass(frozen=True)
class Diagnostic:
    """One finding: what is wrong, where, why it matters at run time, and what to do.

    `rule` is a stable code such as `GPU101`. `message` says what is wrong and why it matters; `help` says what to do.
    `place` is None only where no file is to blame (a missing tool, a full disk).
    """

    rule: str
    message: str
    place: Place | None = None
    severity: Severity = Severity.ERROR
    help: str | None = None
    related: tuple[Related, ...] = ()

    @property
    def is_error(self) -> bool:
        """True when this finding makes the run fail."""
        return self.severity is Severity.ERROR

    def sort_key(self) -> tuple[str, int, int, str, str]:
        """Order for printing: by file, then position, then rule."""
        where = self.place or Place("")
        return (where.path, where.line, where.column, self.rule, self.message)


def sorted_unique(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Return the findings in printing order, each once."""
    return sorted(dict.fromkeys(diagnostics), key=Diagnostic.sort_key)
