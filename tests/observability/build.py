"""Builds VictoriaMetrics, vmalert and promtool from the Go modules below `go/`, as their go.sum pins them."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from compiler.tools.golang import find_go

HERE = Path(__file__).parent
BINARIES = HERE.parents[1] / ".tools" / "observability"
PROGRAMS = {
    "victoria-metrics": ("victoriametrics", "github.com/VictoriaMetrics/VictoriaMetrics/app/victoria-metrics"),
    "vmalert": ("victoriametrics", "github.com/VictoriaMetrics/VictoriaMetrics/app/vmalert"),
    "promtool": ("promtool", "github.com/prometheus/prometheus/cmd/promtool"),
}
_MINIMUM_GO = (1, 26, 7)
# promtool can look for targets in every cloud there is; none of that is needed to evaluate rules.
_TAGS = "remove_all_sd"


class BuildFailed(Exception):
    """A program cannot be built; the message says why."""


def build(folder: Path = BINARIES) -> Path:
    """Build what is not built yet, print one line a program, and return the folder. Raises BuildFailed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (module, package) in PROGRAMS.items():
        stamp, pinned = folder / f".{name}", (HERE / "go" / module / "go.sum").read_text("ascii")
        if stamp.is_file() and stamp.read_text("ascii") == pinned:
            continue
        start = time.monotonic()
        _build(folder / name, HERE / "go" / module, package)
        stamp.write_text(pinned, "ascii")
        print(f"built {name} in {time.monotonic() - start:.0f} s", flush=True)
    return folder


def _build(target: Path, module: Path, package: str) -> None:
    go, too_old = find_go(_MINIMUM_GO, None)
    if go is None:
        raise BuildFailed(f"Go {'.'.join(map(str, _MINIMUM_GO))} or later is needed; found: {too_old or 'none'}")
    command = ["nice", "-n", "10", str(go.program), "build", "-trimpath", "-tags", _TAGS, "-ldflags", "-s -w"]
    env = {**go.environment(), "CGO_ENABLED": "0"}
    done = subprocess.run(
        [*command, "-o", str(target), package], cwd=module, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BuildFailed(f"{target.name} does not build:\n{done.stderr}")
