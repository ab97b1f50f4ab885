"""`overlays/<name>/overlay.yaml`: one environment, which is the GPU nodes of one cluster."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from compiler.model.base import Mistake, Model
from compiler.model.kube import Labels, Taint
from compiler.model.scalars import DnsLabel, DnsSubdomain, PoolName, ResourceName, Text, Vram, form
from compiler.model.stack import ApiVersion, Platform

GPU_RESOURCE = "nvidia.com/gpu"


class Node(Model):
    """A node, by name."""

    name: DnsSubdomain = Field(description="Name of the Kubernetes node.")
    address: Annotated[str, Field(pattern=r"^[0-9A-Za-z.:-]+$", max_length=253)] | None = Field(
        None, description="Address at which talosctl reaches the node."
    )


class Gpu(Model):
    """The cards of each node of a pool."""

    product: Text | None = Field(None, description="Product name as nvidia-smi prints it.")
    count: int = Field(1, ge=1, le=64, description="Cards in each node.")
    memory: Vram | None = Field(None, description="VRAM of one card, such as 16Gi.")


class SharedResource(Model):
    """A resource that is advertised several times."""

    name: ResourceName = Field(description="Resource, such as nvidia.com/gpu or nvidia.com/mig-1g.10gb.")
    replicas: int = Field(ge=2, le=1024, description="How many times each device is advertised.")


class _Shared(Model):
    replicas: int | None = Field(None, ge=2, le=1024, description="How many times each nvidia.com/gpu is advertised.")
    resources: tuple[SharedResource, ...] = Field(
        (), description="Instead of replicas: resource by resource, as mixed MIG needs it."
    )
    rename_by_default: bool = Field(
        default=False,
        description="Advertise nvidia.com/gpu.shared instead; pods that ask for nvidia.com/gpu then stay Pending.",
    )

    @model_validator(mode="after")
    def _replicas_or_resources(self) -> Self:
        if (self.replicas is None) == (not self.resources):
            raise Mistake(
                "needs exactly one of replicas and resources",
                "delete one of the two" if self.resources else "add `replicas`, 2 or more",
            )
        names = [resource.name for resource in self.resources]
        if len(set(names)) != len(names):
            msg = "names a resource twice; the device plugin would take one of them silently"
            raise ValueError(msg)
        return self

    def by_resource(self) -> tuple[SharedResource, ...]:
        """Return what is shared, resource by resource."""
        if self.replicas is not None:
            return (SharedResource(name=GPU_RESOURCE, replicas=self.replicas),)
        return self.resources


class TimeSlicing(_Shared):
    """Several pods take turns on a card; VRAM is shared, not split."""

    strategy: Literal["time-slicing"] = Field(description="Pods take turns on the card.")
    fail_requests_greater_than_one: bool = Field(
        default=False,
        description="Refuse pods that ask for more than one slice: two slices of a card are no faster than one.",
    )


class Mps(_Shared):
    """Several pods run on a card at the same time, each with an equal part of its memory and threads."""

    strategy: Literal["mps"] = Field(description="CUDA Multi-Process Service: an even split of memory and threads.")


class NoSharing(Model):
    """One pod a card."""

    strategy: Literal["none"] = Field(description="One pod a card.")


Sharing = Annotated[TimeSlicing | Mps | NoSharing, Field(discriminator="strategy")]


class MigProfile(Model):
    """MIG instances of one size on each card."""

    name: Annotated[
        str, Field(pattern=form(r"^[0-9]+g\.[0-9]+gb(\.me|\+me)?$", "must be a MIG profile such as 1g.10gb"))
    ] = Field(description="Profile, such as 1g.10gb.")
    count: int = Field(ge=1, le=7, description="Instances of it on each card.")


class Mig(Model):
    """Multi-Instance GPU: how the plugin names the instances that an administrator has made."""

    strategy: Literal["none", "single", "mixed"] = Field(
        "none", description="none ignores MIG; single calls every instance nvidia.com/gpu; mixed names them by profile."
    )
    profiles: tuple[MigProfile, ...] = Field(
        (), description="The instances on each card, where gpuc is to know how many there are."
    )

    @model_validator(mode="after")
    def _profiles_fit_strategy(self) -> Self:
        if self.strategy == "none" and self.profiles:
            msg = "names MIG profiles with strategy none, which ignores them; use single or mixed"
            raise ValueError(msg)
        if self.strategy == "single" and len(self.profiles) > 1:
            msg = "names several MIG profiles with strategy single, which wants one size on every card; use mixed"
            raise ValueError(msg)
        return self


EXTENSION = form(
    r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?/[a-z0-9]([a-z0-9-]*[a-z0-9])?$",
    "must be a system extension such as siderolabs/iscsi-tools",
)
KERNEL_ARGUMENT = form(
    r"^[a-z][A-Za-z0-9_.]*[A-Za-z0-9_](=[A-Za-z0-9_.,/:+-]*[A-Za-z0-9_/])?$",
    "must be a kernel argument such as console=ttyS0",
)
ImagePlatform = Literal[
    "akamai",
    "aws",
    "azure",
    "cloudstack",
    "digital-ocean",
    "equinixMetal",
    "exoscale",
    "gcp",
    "hcloud",
    "metal",
    "nocloud",
    "opennebula",
    "openstack",
    "oracle",
    "scaleway",
    "upcloud",
    "vmware",
    "vultr",
]


class Talos(Model):
    """The Talos image of a pool's nodes; its release is the platform's."""

    image_platform: ImagePlatform = Field(
        "metal", description="Platform of the image: metal, nocloud (Proxmox VE, for one), or a cloud."
    )
    driver: Literal["production", "lts"] = Field(
        "production", description="Branch of NVIDIA's driver; cards older than Turing need lts."
    )
    modules: Literal["open", "proprietary"] = Field(
        "open",
        description="Kernel modules: Blackwell and later need open ones, cards older than Turing proprietary ones.",
    )
    extensions: tuple[Annotated[str, Field(pattern=EXTENSION)], ...] = Field(
        (), description="System extensions besides driver and container toolkit, such as siderolabs/iscsi-tools."
    )
    extra_kernel_args: tuple[Annotated[str, Field(pattern=KERNEL_ARGUMENT)], ...] = Field(
        (),
        description="Kernel arguments of the image, such as console=ttyS0; their order is part of the schematic's ID.",
    )
    secure_boot: bool = Field(default=False, description="Whether the nodes boot with UEFI Secure Boot.")

    @property
    def driver_extensions(self) -> tuple[str, str]:
        """The extensions that hold kernel modules and container toolkit, whose flavours have to match."""
        modules = "nvidia-open-gpu-kernel-modules" if self.modules == "open" else "nonfree-kmod-nvidia"
        return f"siderolabs/{modules}-{self.driver}", f"siderolabs/nvidia-container-toolkit-{self.driver}"


class NodePool(Model):
    """GPU nodes that are alike: the same cards, shared in the same way."""

    name: PoolName = Field(description="Name of the pool; objects of the pool end in it.")
    nodes: tuple[Node, ...] = Field((), description="The nodes, by name.")
    node_selector: Labels = Field({}, description="Or labels that the nodes carry and no other pool's nodes do.")
    platform: Platform | None = Field(
        None, description="Operating system of these nodes, where it differs from the stack's."
    )
    taints: tuple[Taint, ...] = Field((), description="Taints of the nodes; whatever must run there tolerates them.")
    gpu: Gpu = Field(Gpu(), description="The cards of each node.")
    sharing: Sharing = Field(NoSharing(strategy="none"), description="How pods share a card.")
    mig: Mig = Field(Mig(), description="MIG, beside sharing.")
    talos: Talos | None = Field(None, description="The nodes' Talos image: driver, modules and extensions.")

    @model_validator(mode="after")
    def _nodes_or_selector(self) -> Self:
        if bool(self.nodes) == bool(self.node_selector):
            raise Mistake(
                "needs exactly one of nodes and nodeSelector, or nobody knows which nodes are meant",
                "delete one of the two"
                if self.nodes
                else "add `nodes: [{name: ...}]`, or `nodeSelector` with a label that only these nodes carry",
            )
        return self


class Workload(Model):
    """Who uses the slices, for capacity checks and for the generated page."""

    name: DnsSubdomain = Field(description="Name of the workload.")
    namespace: DnsLabel = Field(description="Its namespace.")
    vram: Vram | None = Field(None, description="VRAM that it needs at its peak, such as 6Gi.")
    slices: int = Field(1, ge=1, le=1024, description="How many of the resource each of its pods asks for.")
    pool: DnsLabel | None = Field(None, description="Pool it runs on; needed where there are several.")


MAX_QUANTIFIERS = 4
"""Each more multiplies the time that Python's engine may take on a name of 253 characters; four take 0.4 s."""


def _pattern(value: str) -> str:
    """Refuse what is no pattern, and what Python's engine could take minutes for."""
    if len(re.findall(r"[*+?{]", value)) > MAX_QUANTIFIERS or re.search(r"\)[*+?{]", value):
        raise Mistake(
            f"must be a simple pattern: at most {MAX_QUANTIFIERS} quantifiers, none after a group",
            "write the name out, or only the part that several names begin with, followed by `.*`",
        )
    try:
        re.compile(value)
    except re.error as error:
        raise Mistake(f"must be a regular expression ({error})", "put a backslash before ( ) [ ] * + ? .") from None
    return value


Pattern = Annotated[Text, AfterValidator(_pattern)]


class PatchTarget(Model):
    """Which objects a patch is for, as in Kustomize; name and namespace are anchored regular expressions there."""

    group: Pattern | None = Field(None, description="API group.")
    version: Pattern | None = Field(None, description="API version.")
    kind: Pattern | None = Field(None, description="Kind.")
    name: Pattern | None = Field(None, description="Name, with or without the pool's suffix.")
    namespace: Pattern | None = Field(None, description="Namespace.")
    label_selector: Text | None = Field(None, description="Label selector.")
    annotation_selector: Text | None = Field(None, description="Annotation selector.")


PATCH_PATH = form(
    r"^[A-Za-z0-9_][A-Za-z0-9_./-]*\.(yaml|yml|json)$",
    "must be the path of a .yaml, .yml or .json file, relative to the overlay's folder",
)


class Patch(Model):
    """An ordinary Kustomize patch (strategic merge or JSON 6902), carried into out/ untouched."""

    path: Annotated[str, Field(pattern=PATCH_PATH, max_length=1024)] = Field(
        description="File, relative to the overlay's folder and within it."
    )
    target: PatchTarget | None = Field(
        None, description="What it changes; a strategic merge patch may name that itself."
    )
    root: Literal["stack", "monitoring"] = Field("stack", description="Which Kustomize root it belongs to.")


class Ignore(Model):
    """A finding that the author has looked at and accepts."""

    rule: Annotated[str, Field(pattern=form(r"^GPU[0-9]{3}$", "must be the code of a rule such as GPU105"))] = Field(
        description="Code of the rule, such as GPU204."
    )
    reason: Annotated[Text, Field(min_length=1)] = Field(description="Why it is right here.")


class Overlay(Model):
    """One environment: the GPU nodes of one cluster and what differs from the stack there."""

    api_version: ApiVersion = Field(description="Version of this file's format.")
    kind: Literal["Overlay"] = Field(description="Kind of this file.")
    cluster: DnsLabel = Field(description="Name of the cluster; two overlays of one cluster are an error.")
    node_pools: tuple[NodePool, ...] = Field(min_length=1, description="Kinds of GPU node in this cluster.")
    all_nodes_tainted: bool = Field(
        default=False,
        description="True when no schedulable node is free of taints: NFD's master and garbage collector then tolerate "
        "the pools' taints too, or they would stay Pending.",
    )
    workloads: tuple[Workload, ...] = Field((), description="Who gets the slices.")
    overrides: dict[str, Any] = Field({}, description="Fields of the stack that differ here, as a JSON merge patch.")
    patches: tuple[Patch, ...] = Field((), description="Kustomize patches of your own.")
    ignore: tuple[Ignore, ...] = Field((), description="Findings that you accept, each with its reason.")
