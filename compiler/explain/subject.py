"""What a compiled file is, by its path: whose object, of which environment, of which pool."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from inspect import getdoc
from pathlib import PurePosixPath
from typing import Final

from compiler.components import all_components
from compiler.load import Route
from compiler.model.environment import Environment
from compiler.objects import Obj
from compiler.pipeline import Built

SETTINGS: Final[dict[str, Route]] = {
    "dashboard": ("monitoring", "dashboard"),
    "dcgm-exporter": ("dcgmExporter",),
    "device-plugin": ("devicePlugin",),
    "gpu-feature-discovery": ("gpuFeatureDiscovery",),
    "mps-control-daemon": ("devicePlugin",),
    "namespace": ("namespace",),
    "node-feature-discovery": ("nodeFeatureDiscovery",),
    "node-feature-rule": ("nodeFeatureDiscovery",),
    "prometheus-rules": ("monitoring", "rules"),
    "runtime-class": ("runtimeClass",),
    "service-monitor": ("dcgmExporter", "serviceMonitor"),
}
"""Where the stack sets a component."""
_NAMES: Final = {
    "nvidia-device-plugin": "device-plugin",
    "nvidia-mps-control-daemon": "mps-control-daemon",
    "nvidia-device-plugin-config": "device-plugin",
    "dcgm-exporter-counters": "dcgm-exporter",
    "nfd-worker-config": "node-feature-discovery",
}
_PARTS: Final = ("master", "worker", "gc")


@dataclass(frozen=True)
class Subject:
    """A compiled file. `kind` is component, kustomization, flux, argocd, talos, workload, page, prometheus or other."""

    path: str
    kind: str
    environment: Environment
    pool: int | None = None
    component: str = ""
    part: str = ""

    @property
    def settings(self) -> Route:
        """Where the stack sets what the file is about."""
        where = SETTINGS.get(self.component, ())
        return (*where, self.part) if self.part and where else where


def subject_of(built: Built, path: str, data: Obj | None) -> Subject:
    """Return what the file at a path, relative to out/, is. Without an environment in its path it is the first's."""
    parts = PurePosixPath(path).parts
    environments = {one.name: one for one in built.project.environments}
    name = next((part for part in parts[1:4] if part in environments), None)
    environment = environments[name] if name else built.project.environments[0]
    pools = [pool.name for pool in environment.overlay.node_pools]
    pool = next((pools.index(part) for part in parts[2:] if part in pools), None)
    component, part = _component(parts, data)
    return Subject(path, _kind(parts, component), environment, pool, component, part)


def _kind(parts: tuple[str, ...], component: str) -> str:
    top = {"flux": "flux", "argocd": "argocd", "talos": "talos", "components": "workload", "docs": "page"}
    if parts[0] in top:
        return top[parts[0]]
    if parts[0] == "prometheus":
        return "prometheus"
    if parts[-1] == "kustomization.yaml":
        return "kustomization"
    return "component" if component else "other"


def component_of(name: str) -> str:
    """Return the component that a folder or an object of a name belongs to, or an empty text."""
    return _NAMES.get(name, name if name in SETTINGS else "")


def _component(parts: tuple[str, ...], data: Obj | None) -> tuple[str, str]:
    """Return the component that made a file, and for NFD which of its parts."""
    component = next((known for part in parts[:-1] if (known := component_of(part))), "")
    metadata = data.get("metadata") if data else None
    name = str(metadata.get("name", "")) if isinstance(metadata, dict) else ""
    stem = parts[-1].removesuffix(".yaml").removesuffix(".patch").partition("-")[2]
    if not component:
        for known in (name, stem):
            component = component or component_of(known)
    if not component and (name or stem).startswith("nfd-"):
        component = "node-feature-discovery"
    part = (name or stem).removeprefix("nfd-") if component == "node-feature-discovery" else ""
    return component, part if part in _PARTS else ""


@cache
def about(component: str) -> str:
    """Return what a component is for, in its own words, on one line."""
    found = next((one for one in all_components() if one.name == component), None)
    return " ".join((getdoc(type(found)) or "").split("\n\n")[0].split()) if found else ""
