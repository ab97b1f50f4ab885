"""A copy of this repository's inputs in a git repository of its own, so that measuring changes nothing here."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
_OVERLAY: Final = "overlays/worker4/overlay.yaml"
_FROM: Final = "replicas: 5"
_TO: Final = "replicas: 6"


class Project:
    """Inputs and out/ as they are here, committed: what a user of gpuc has."""

    def __init__(self, folder: Path) -> None:
        for name in ("base", "overlays", "out"):
            shutil.copytree(ROOT / name, folder / name)
        self.folder = folder
        self._overlay = folder / _OVERLAY
        identity = ("-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false")
        self._git("init", "--quiet")
        self._git("add", ".")
        self._git(*identity, "commit", "--quiet", "--no-verify", "--message", "bench")

    def toggle(self) -> None:
        """Change how many pods share a card, or change it back.

        Raises:
            ValueError: the overlay no longer says what is changed here.
        """
        text = self._overlay.read_text("utf-8")
        old, new = (_FROM, _TO) if _FROM in text else (_TO, _FROM)
        if text.count(old) != 1:
            raise ValueError(f"{_OVERLAY} does not say {_FROM!r} once: scripts/bench has to change another value")
        self._overlay.write_text(text.replace(old, new), "utf-8")

    def _git(self, *arguments: str) -> None:
        subprocess.run(("git", *arguments), cwd=self.folder, check=True)  # noqa: S607 -- the user's own git
