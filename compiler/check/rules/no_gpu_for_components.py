"""A component of the stack requests a GPU for itself.

What it does: refuses a resource of `nvidia.com` in the requests and limits of any component.

Why it fails at run time: the component takes a slice that a workload was to have, sees that one card only, and on an
unshared card starves the workload. The exporter, GFD and the plugin find the cards through the RuntimeClass.

How to mend it: remove the resource.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.rule import Finding, Rule
from compiler.check.stacks import StackView, each_stack
from compiler.model.components import NodeFeatureDiscovery
from compiler.model.describe import Location
from compiler.model.kube import ContainerSettings


def _components(view: StackView) -> Iterator[tuple[Location, ContainerSettings]]:
    stack = view.stack
    yield ("devicePlugin",), stack.device_plugin
    yield ("gpuFeatureDiscovery",), stack.gpu_feature_discovery
    if stack.dcgm_exporter:
        yield ("dcgmExporter",), stack.dcgm_exporter
    if isinstance(stack.node_feature_discovery, NodeFeatureDiscovery):
        for part in ("master", "worker", "gc"):
            yield ("nodeFeatureDiscovery", part), getattr(stack.node_feature_discovery, part)


def _check(view: StackView) -> Iterator[Finding]:
    for loc, settings in _components(view):
        if not settings.resources:
            continue
        for key in ("limits", "requests"):
            for resource in getattr(settings.resources, key):
                if resource.startswith("nvidia.com/"):
                    yield Finding(
                        f"{loc[0]} requests {resource}: it would take a slice from the workloads and see one card only",
                        view.place((*loc, "resources", key, resource), key=True),
                        "remove it: the RuntimeClass shows the component every card",
                    )


RULE = Rule("GPU109", "no-gpu-for-components", each_stack(_check))
