"""The line of stack or overlay that a field of a compiled object follows from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from compiler.check.scene import Route
from compiler.components.pods import POD_LABEL_INSTANCE
from compiler.diagnostics import Place
from compiler.model.environment import Environment
from compiler.model.overlay import NodePool
from compiler.objects import Obj, value_at

_SETTINGS: dict[str, Route] = {
    "device-plugin": ("devicePlugin",),
    "mps-control-daemon": ("devicePlugin",),
    "gpu-feature-discovery": ("gpuFeatureDiscovery",),
    "exporter": ("dcgmExporter",),
    "dashboard": ("monitoring", "dashboard"),
}
"""Where the stack sets a component, by its label app.kubernetes.io/component."""
_CRDS: dict[str, Route] = {
    "servicemonitors.monitoring.coreos.com": ("monitoring", "serviceMonitorCrd"),
    "prometheusrules.monitoring.coreos.com": ("monitoring", "prometheusRuleCrd"),
}
_PARTS = ("master", "worker", "gc")
_BY_KIND: dict[str, Route] = {
    "Namespace": ("namespace",),
    "RuntimeClass": ("runtimeClass",),
    "ServiceMonitor": ("dcgmExporter", "serviceMonitor"),
    "PrometheusRule": ("monitoring", "rules"),
}
# Fields of a pod's spec, and of a container in it, that a setting of the component replaces.
_POD_FIELDS = {"priorityClassName": "priorityClassName", "imagePullSecrets": "imagePullSecrets"}
_CONTAINER_FIELDS = {
    "resources": ("resources",),
    "securityContext": ("securityContext",),
    "imagePullPolicy": ("image", "pullPolicy"),
}
# Parts of the plugin's configuration, and the settings of overlay and stack that they are.
_CONFIG_OF_POOL: tuple[tuple[Route, Route], ...] = (
    (("sharing",), ("sharing",)),
    (("flags", "migStrategy"), ("mig", "strategy")),
)


@dataclass(frozen=True)
class Origin:
    """A compiled object, of which every field follows from something that a person wrote."""

    environment: Environment
    obj: Obj

    @cached_property
    def _labels(self) -> dict[str, str]:
        labels: dict[str, str] = self.obj["metadata"].get("labels") or {}
        return labels

    @cached_property
    def _settings(self) -> Route:
        """Where the stack says what the object is."""
        if self.obj["kind"] in _BY_KIND:
            return _BY_KIND[self.obj["kind"]]
        component = self._labels.get("app.kubernetes.io/component", "")
        if component in _PARTS:
            return ("nodeFeatureDiscovery", component)
        if self.obj["metadata"]["name"] in _CRDS:
            return _CRDS[self.obj["metadata"]["name"]]
        return _SETTINGS.get(component, ("nodeFeatureDiscovery",))

    @cached_property
    def _pool(self) -> tuple[Route, NodePool] | None:
        """The pool that the object belongs to."""
        name = self._labels.get(POD_LABEL_INSTANCE)
        for index, pool in enumerate(self.environment.overlay.node_pools):
            if pool.name == name:
                return ("nodePools", index), pool
        return None

    def place(self, route: Route, *, key: bool = False) -> Place:
        """Return the line for a field; where nobody wrote one, that of the component or pool."""
        if self.obj["kind"] == "ConfigMap" and self._pool:
            return self._config(*self._pool, route)
        template = _after(route, ("spec", "template", "spec"))
        if template is not None:
            found = self._pod(template, key=key)
            if found is not None:
                return found
        return self.environment.stack_place(self._settings, key=True)

    def _config(self, here: Route, pool: NodePool, route: Route) -> Place:
        """Return the place for a field of the plugin's configuration: `route` goes on below the ConfigMap's key."""
        inner = route[2:]
        for part, setting in _CONFIG_OF_POOL:
            if inner[: len(part)] == part:
                loc = (*here, *setting)
                return self.environment.overlay_place(loc, key=setting[0] not in _written(pool))
        if inner[:1] == ("flags",) and len(inner) > 1:
            return self.environment.stack_place(("devicePlugin", str(inner[-1])), key=True)
        return self.environment.overlay_place((*here, "name"))

    def _pod(self, route: Route, *, key: bool) -> Place | None:
        field = str(route[0]) if route else ""
        environment = self.environment
        if field == "runtimeClassName":
            return environment.stack_place(("runtimeClass", "name"), key=key)
        if field in {"affinity", "tolerations"} and self._pool:
            here, pool = self._pool
            chosen = ("nodes" if pool.nodes else "nodeSelector") if field == "affinity" else "taints"
            return environment.overlay_place((*here, chosen if chosen in _written(pool) else "name"), key=True)
        if field in _POD_FIELDS:
            return environment.stack_place((*self._settings, _POD_FIELDS[field]), key=key)
        if field in {"containers", "initContainers"} and len(route) > 2:  # noqa: PLR2004 -- list, index, field
            return self._container(route, key=key)
        return None

    def _container(self, route: Route, *, key: bool) -> Place | None:
        field = str(route[2])
        if field in _CONTAINER_FIELDS:
            return self.environment.stack_place((*self._settings, *_CONTAINER_FIELDS[field], *route[3:]), key=key)
        if field == "image":
            return self.environment.stack_place((*self._settings, "version"), key=key)
        if field == "env" and len(route) > 3:  # noqa: PLR2004 -- the variable's index follows
            name = value_at(self.obj, ("spec", "template", "spec", *route[:4], "name"))
            own = value_at(self.environment.stack.model_dump(mode="json"), (*self._settings, "env")) or []
            for index, variable in enumerate(own):
                if variable.get("name") == name:
                    return self.environment.stack_place((*self._settings, "env", index, *route[4:]), key=key)
        return None


def _after(route: Route, start: Route) -> Route | None:
    return route[len(start) :] if route[: len(start)] == start else None


def _written(pool: NodePool) -> set[str]:
    """Return the keys of a pool that somebody wrote."""
    return {str(type(pool).model_fields[name].alias or name) for name in pool.model_fields_set}
