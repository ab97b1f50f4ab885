"""helm and NVIDIA's charts, where they are at hand."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scripts.bench.clock import Command

HELM: Final = "helm.sh/helm/v3/cmd/helm@v3.22.0"
# The newest release that Go's module proxy has. It has no DCGM exporter, so that chart has to be given.
DEVICE_PLUGIN: Final = "github.com/NVIDIA/k8s-device-plugin@v0.19.3"
_IN_THE_MODULE: Final = "deployments/helm/nvidia-device-plugin"
_HERE: Final = Path(__file__).parent


@dataclass(frozen=True)
class Chart:
    """A chart's folder or archive, with the values that make worker4's stack of it."""

    name: str
    path: Path

    def template(self, helm: Path, folder: Path) -> Command:
        """Return the command that renders it."""
        values = _HERE / f"{self.name}-values.yaml"
        fixed = ("--namespace", "nvidia-gpu-operator", "--include-crds", "--values", str(values))
        # No home: what somebody has configured for helm must not matter.
        homes = {name: str(folder / "helm") for name in ("HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME")}
        return Command((str(helm), "template", self.name, str(self.path), *fixed), folder, environment=homes)


def fetch_helm(folder: Path) -> Path:
    """Build helm into a folder, and get the module with the device plugin's chart. Needs Go and its module proxy."""
    folder.mkdir(parents=True, exist_ok=True)
    go = _go()
    subprocess.run([go, "install", HELM], env={**os.environ, "GOBIN": str(folder)}, check=True)
    subprocess.run([go, "mod", "download", DEVICE_PLUGIN], cwd=folder, check=True)
    return folder / "helm"


def find_helm(folder: Path) -> Path | None:
    """Return the helm that was built into a folder, or else the one on PATH."""
    built = folder / "helm"
    found = str(built) if built.is_file() else shutil.which("helm")
    return Path(found) if found else None


def find_chart(name: str, given: Path | None) -> Chart | None:
    """Return a chart: the one that was given, or else the one in Go's module cache."""
    if given is not None:
        return Chart(name, given.resolve())
    if name != "device-plugin" or shutil.which("go") is None:
        return None
    asked = subprocess.run([_go(), "env", "GOMODCACHE"], capture_output=True, text=True, check=True)
    module = DEVICE_PLUGIN.replace("NVIDIA", "!n!v!i!d!i!a")  # how the cache spells capitals
    path = Path(asked.stdout.strip()) / module / _IN_THE_MODULE
    return Chart(name, path) if path.is_dir() else None


def _go() -> str:
    return shutil.which("go") or "go"
