"""The components of a stack as rules on models see them: settings, and where they were written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from compiler.model import variables
from compiler.model.components import NodeFeatureDiscovery
from compiler.model.describe import Location
from compiler.model.kube import ContainerSettings
from compiler.model.stack import GPUStack


@dataclass(frozen=True)
class ComponentSettings:
    """A component's settings, their location in the stack, and the environment variables that the program reads."""

    loc: Location
    settings: ContainerSettings
    reads: frozenset[str]
    reads_config: bool = False

    @property
    def name(self) -> str:
        """The component as the stack calls it: `nodeFeatureDiscovery.worker`."""
        return ".".join(str(part) for part in self.loc)


def components(stack: GPUStack) -> Iterator[ComponentSettings]:
    """Yield the components that the stack has."""
    yield ComponentSettings(("devicePlugin",), stack.device_plugin, variables.DEVICE_PLUGIN, reads_config=True)
    if stack.gpu_feature_discovery.enabled:
        yield ComponentSettings(
            ("gpuFeatureDiscovery",), stack.gpu_feature_discovery, variables.GPU_FEATURE_DISCOVERY, reads_config=True
        )
    if stack.dcgm_exporter is not None and stack.dcgm_exporter.enabled:
        yield ComponentSettings(("dcgmExporter",), stack.dcgm_exporter, variables.DCGM_EXPORTER)
    nfd = stack.node_feature_discovery
    if isinstance(nfd, NodeFeatureDiscovery):
        for part, settings in (("master", nfd.master), ("worker", nfd.worker), ("gc", nfd.gc)):
            yield ComponentSettings(("nodeFeatureDiscovery", part), settings, variables.NODE_FEATURE_DISCOVERY)
