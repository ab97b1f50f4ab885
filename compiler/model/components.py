"""Settings of the stack's components."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from compiler.model.base import Mistake, Model
from compiler.model.kube import Annotations, ContainerSettings, DaemonSettings, ImageSettings, Labels, PodSettings
from compiler.model.monitoring import ServiceMonitor
from compiler.model.scalars import (
    AbsolutePath,
    DnsLabel,
    DnsSubdomain,
    Duration,
    ImageTag,
    LabelKey,
    form,
)

Managed = Literal["gpuc", "external"]


def _managed(value: Any) -> str:
    """Tell a component that gpuc makes from one that the cluster already has; gpuc's is the default."""
    found = value.get("managed", "gpuc") if isinstance(value, dict) else getattr(value, "managed", "gpuc")
    return found if isinstance(found, str) else "gpuc"


class Namespace(Model):
    """The namespace of the stack."""

    name: DnsLabel = Field(description="Name of the namespace.")
    managed: Managed = Field(
        "gpuc",
        description="external when the cluster already has it; it must then be labelled for Pod Security privileged.",
    )
    labels: Labels = Field({}, description="Labels besides those of Pod Security.")
    annotations: Annotations = Field({}, description="Annotations.")


class RuntimeClass(Model):
    """The RuntimeClass that injects the driver's libraries into a container."""

    name: DnsSubdomain = Field("nvidia", description="Name that pods refer to in runtimeClassName.")
    handler: DnsLabel = Field("nvidia", description="The container runtime's handler; the toolkit registers nvidia.")
    managed: Managed = Field("gpuc", description="external when the cluster already has it.")


class PciSource(Model):
    """NFD's PCI source, which labels nodes by the devices in them."""

    device_class_whitelist: tuple[
        Annotated[
            str,
            Field(
                pattern=form(
                    r"^[0-9a-f]{2}([0-9a-f]{2}){0,2}$", "must be two, four or six hexadecimal digits such as 0302"
                )
            ),
        ],
        ...,
    ] = Field(
        ("02", "03"),
        min_length=1,
        description="PCI classes, or their first digits, that get a label: 03 is display, 02 network.",
    )
    device_label_fields: tuple[Literal["class", "vendor", "device", "subsystem_vendor", "subsystem_device"], ...] = (
        Field(("vendor",), min_length=1, description="Fields that make up the label: [vendor] gives pci-10de.present.")
    )


class NodeFeatureDiscovery(ImageSettings):
    """Node Feature Discovery, compiled as part of the stack."""

    managed: Literal["gpuc"] = Field("gpuc", description="gpuc compiles NFD.")
    version: ImageTag = Field(description="Release of NFD, such as v0.19.0; its CRDs travel with it.")
    pci: PciSource = Field(PciSource(), description="What NFD labels by PCI device.")
    master: ContainerSettings = Field(ContainerSettings(), description="The Deployment that writes the labels.")
    worker: DaemonSettings = Field(DaemonSettings(), description="The DaemonSet that looks at the nodes.")
    gc: ContainerSettings = Field(ContainerSettings(), description="The Deployment that cleans up after removed nodes.")


class ExternalNodeFeatureDiscovery(Model):
    """Node Feature Discovery that the cluster already has."""

    managed: Literal["external"] = Field(description="Another owner runs NFD in this cluster.")
    labels: tuple[LabelKey, ...] = Field(
        min_length=1,
        description="Labels that this NFD makes on GPU nodes, such as "
        "feature.node.kubernetes.io/pci-0300_10de.present. "
        "With nvidia.com/gpu.present among them gpuc adds no NodeFeatureRule of its own.",
    )


NodeFeatureDiscoverySettings = Annotated[
    Annotated[NodeFeatureDiscovery, Tag("gpuc")] | Annotated[ExternalNodeFeatureDiscovery, Tag("external")],
    Discriminator(_managed),
]


class GpuFeatureDiscovery(PodSettings):
    """GPU Feature Discovery, which labels nodes with what their GPUs are."""

    enabled: bool = Field(default=True, description="Whether GPU nodes get the nvidia.com/gpu.* labels.")
    sleep_interval: Duration = Field("60s", description="Time between two looks at the GPUs.")
    no_timestamp: bool = Field(default=False, description="Leave out the label nvidia.com/gfd.timestamp.")


class Cdi(Model):
    """Container Device Interface, with a cdi-* deviceListStrategy."""

    hook_path: AbsolutePath | None = Field(
        None, description="Path of nvidia-cdi-hook on the node; on Talos 1.13 and later gpuc knows it."
    )


class DevicePlugin(PodSettings):
    """NVIDIA's device plugin, which advertises nvidia.com/gpu."""

    version: ImageTag = Field(
        description="Release of the device plugin, such as v0.20.0; GFD and the MPS daemon share it."
    )
    device_discovery_strategy: Literal["auto", "nvml", "tegra"] = Field(
        "auto", description="How GPUs are found; nvml on Talos, where auto probes paths that do not exist."
    )
    device_list_strategy: tuple[Literal["envvar", "volume-mounts", "cdi-annotations", "cdi-cri"], ...] = Field(
        ("envvar",), min_length=1, description="How the devices are handed to the container runtime."
    )
    device_id_strategy: Literal["uuid", "index"] = Field("uuid", description="What identifies a GPU to the runtime.")
    fail_on_init_error: bool = Field(
        default=True, description="Exit when there is no driver; false waits instead, which hides a missing driver."
    )
    pass_device_specs: bool = Field(
        default=False, description="Pass /dev nodes to the kubelet, for the static CPU manager."
    )
    nvidia_driver_root: AbsolutePath = Field("/", description="Root of the driver's installation on the node.")
    cdi: Cdi = Field(Cdi(), description="Settings for the cdi-* strategies.")
    mps_root: AbsolutePath = Field(
        "/run/nvidia/mps", description="Folder on the node where MPS keeps its pipes and logs."
    )


HELP_TEXT = form(
    r"^[^,\"#\x00-\x1f\x7f]+$",
    "must be without commas, double quotes and #, which end a field of the counters' file",
)


class Counter(Model):
    """A DCGM field that the exporter publishes."""

    field: Annotated[
        str, Field(pattern=form(r"^DCGM_[A-Z0-9_]+$", "must be the name of a DCGM field such as DCGM_FI_DEV_FB_USED"))
    ] = Field(description="Name of the DCGM field.")
    type: Literal["gauge", "counter", "label"] = Field(description="Prometheus type.")
    help: Annotated[str, Field(pattern=HELP_TEXT, max_length=1024)] = Field(
        description="Help text, without commas and double quotes."
    )


class DcgmExporter(PodSettings):
    """DCGM exporter: utilisation, VRAM, temperature and power as metrics."""

    enabled: bool = Field(default=True, description="Whether GPU nodes run the exporter.")
    version: ImageTag = Field(description="Tag of the exporter's image, such as 4.5.3-4.8.2-distroless.")
    pod_attribution: bool = Field(
        default=True,
        description="Say which pods use a card. Where cards are shared this takes hostPID and read access to all pods, "
        "which is a price: false keeps the numbers of the cards and says nothing of pods.",
    )
    profiling: bool = Field(
        default=False,
        description="Publish DCGM_FI_PROF_* too: data-centre cards only, and the exporter then runs with SYS_ADMIN. "
        "Pools of GeForce cards stay as they are.",
    )
    counters: tuple[Counter, ...] = Field((), description="DCGM fields besides those that gpuc publishes.")
    service_monitor: ServiceMonitor = Field(ServiceMonitor(), description="Scraping by an operator.")
    scrape_annotations: bool = Field(
        default=False,
        description="Annotate the pods with prometheus.io/scrape, for a Prometheus that finds its targets by them.",
    )

    @model_validator(mode="after")
    def _scraped_once(self) -> Self:
        if self.scrape_annotations and self.service_monitor.enabled:
            raise Mistake(
                "scrapeAnnotations and serviceMonitor.enabled would have every card scraped twice",
                "use the ServiceMonitor with an operator, the annotations without one",
            )
        return self
