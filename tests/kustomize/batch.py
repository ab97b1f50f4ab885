"""Runs the real kustomize on many small examples at once, since each run costs a process."""

from __future__ import annotations

import subprocess
from pathlib import Path

from compiler.objects import Json, Obj
from compiler.validate import Toolset
from compiler.yaml.emit import emit
from compiler.yaml.readback import load_all


def kustomize(tools: Toolset, folder: Path, content: Obj, files: dict[str, Json | bytes]) -> list[Obj]:
    """Return what a kustomization builds to; `files` are written as they are, or as YAML where they are data."""
    done = run(tools, folder, content, files)
    assert done.returncode == 0, done.stderr
    return list(load_all(done.stdout))


def run(tools: Toolset, folder: Path, content: Obj, files: dict[str, Json | bytes]) -> subprocess.CompletedProcess[str]:
    """Run kustomize, and return how it ended."""
    for name, data in {**files, "kustomization.yaml": content}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else emit(data).encode())
    return subprocess.run(
        [tools.kustomize, "build", folder], capture_output=True, check=False, encoding="utf-8", errors="strict"
    )
