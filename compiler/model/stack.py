"""`base/stack.yaml`: the GPU stack, the same for every environment until an overlay says otherwise."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from compiler.model.base import Model
from compiler.model.components import (
    DcgmExporter,
    DevicePlugin,
    GpuFeatureDiscovery,
    Namespace,
    NodeFeatureDiscoverySettings,
    RuntimeClass,
)
from compiler.model.delivery import Delivery
from compiler.model.kube import LocalObjectReference
from compiler.model.monitoring import Monitoring
from compiler.model.scalars import DnsLabel, ImageRepository
from compiler.model.versions import KubernetesVersion

ApiVersion = Literal["gpuc/v1alpha1"]


class Kubernetes(Model):
    """The cluster's Kubernetes."""

    version: KubernetesVersion = Field(description='Minor version whose schemas validate the result, quoted: "1.34".')


class TalosPlatform(Model):
    """Talos Linux: driver and container toolkit are system extensions."""

    os: Literal["talos"] = Field(description="Talos Linux.")
    version: Annotated[str, Field(pattern=r"^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$")] = Field(
        description="Talos release, such as v1.13.3; paths and strategies depend on it."
    )

    @property
    def minor(self) -> tuple[int, int]:
        """The release without its patch level, for comparison: (1, 13)."""
        major, minor, *_ = self.version.removeprefix("v").split(".")
        return int(major), int(minor)


class GenericPlatform(Model):
    """Any other distribution, with driver and container toolkit installed on the node."""

    os: Literal["generic"] = Field(description="Any distribution but Talos.")


Platform = Annotated[TalosPlatform | GenericPlatform, Field(discriminator="os")]


def _text_or_mapping(value: Any) -> str:
    return "mapping" if isinstance(value, dict | Namespace) else "name"


class GPUStack(Model):
    """The GPU stack of a cluster."""

    api_version: ApiVersion = Field(description="Version of this file's format.")
    kind: Literal["GPUStack"] = Field(description="Kind of this file.")
    namespace: Annotated[
        Annotated[DnsLabel, Tag("name")] | Annotated[Namespace, Tag("mapping")], Discriminator(_text_or_mapping)
    ] = Field(
        description="Namespace of everything that has one: its name, or name with managed, labels and annotations."
    )
    kubernetes: Kubernetes = Field(description="The cluster's Kubernetes.")
    platform: Platform = Field(description="Operating system of the GPU nodes; a node pool may differ.")
    registry_prefix: ImageRepository | None = Field(
        None,
        description="Mirror in front of every image: harbor.lan/hub makes harbor.lan/hub/nvcr.io/nvidia/...",
    )
    image_pull_secrets: tuple[LocalObjectReference, ...] = Field(
        (), description="Secrets for the registry, for every pod."
    )
    runtime_class: RuntimeClass = Field(RuntimeClass(), description="The RuntimeClass that injects the driver.")
    node_feature_discovery: NodeFeatureDiscoverySettings = Field(description="Node Feature Discovery.")
    gpu_feature_discovery: GpuFeatureDiscovery = Field(GpuFeatureDiscovery(), description="GPU Feature Discovery.")
    device_plugin: DevicePlugin = Field(description="NVIDIA's device plugin.")
    dcgm_exporter: DcgmExporter | None = Field(
        None, description="DCGM exporter; leave it out for a stack without metrics."
    )
    monitoring: Monitoring = Field(Monitoring(), description="What the monitoring root builds on.")
    delivery: Delivery = Field(Delivery(), description="What reconciles out/.")

    @property
    def namespace_settings(self) -> Namespace:
        """The namespace in its long form."""
        return Namespace(name=self.namespace) if isinstance(self.namespace, str) else self.namespace

    @property
    def namespace_name(self) -> str:
        """Name of the namespace."""
        return self.namespace_settings.name

    @property
    def has_dcgm_exporter(self) -> bool:
        """True when GPU nodes run the DCGM exporter."""
        return self.dcgm_exporter is not None and self.dcgm_exporter.enabled

    @property
    def needs_gpu_present_rule(self) -> bool:
        """True unless an external NFD already makes nvidia.com/gpu.present."""
        nfd = self.node_feature_discovery
        return nfd.managed == "gpuc" or GPU_PRESENT not in nfd.labels


GPU_PRESENT = "nvidia.com/gpu.present"
