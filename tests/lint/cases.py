"""The inputs below cases/: how lint is called with each, and what it must find, both in the file's first lines."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

FOLDER = Path(__file__).with_name("cases")
_CALL = "# gpuc lint "
_FINDING = re.compile(r"# (GPU\d{3}) (error|warning) (\d+):(\d+)")


@dataclass(frozen=True)
class Case:
    """An input, `fail.NAME.yaml` with something to find or its twin `ok.NAME.yaml` without."""

    path: Path

    @property
    def id(self) -> str:
        return self.path.stem

    @cached_property
    def _lines(self) -> list[str]:
        return self.path.read_text(encoding="utf-8").splitlines()

    @property
    def arguments(self) -> list[str]:
        """What `gpuc lint` is called with, the file's own name first."""
        return shlex.split(self._lines[0].removeprefix(_CALL))

    @property
    def expected(self) -> list[tuple[str, str, int, int]]:
        """Rule, severity, line and column of everything that is to be found."""
        found = (_FINDING.fullmatch(line) for line in self._lines[1:])
        return sorted((m[1], m[2], int(m[3]), int(m[4])) for m in found if m)


CASES = [Case(path) for path in sorted(FOLDER.glob("*.yaml"))]
