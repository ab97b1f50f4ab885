"""Nodes: Node objects kept alive by kwok, their devices, and what they say they can allocate."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.api import Api, Obj, condition
from tests.e2e.processes import Program, Programs, free_ports

STAGES = Path(__file__).with_name("stages.yaml")
CONTROL_PLANE_TAINT = {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}
GPU = "nvidia.com/gpu"

_CAPACITY = {"cpu": "16", "memory": "64Gi", "ephemeral-storage": "200Gi", "pods": "110"}


def start_kwok(programs: Programs, binaries: Path, kubeconfig: Path) -> Program:
    """Start kwok, which keeps every node Ready and lets every scheduled pod run, as `stages.yaml` says."""
    return programs.start(
        "kwok",
        [
            binaries / "kwok",
            f"--kubeconfig={kubeconfig}",
            "--manage-all-nodes=true",
            "--node-lease-duration-seconds=40",
            f"--server-address=127.0.0.1:{free_ports(1)[0]}",
            f"--config={STAGES}",
        ],
    )


def create(
    api: Api,
    name: str,
    *,
    address: str,
    taints: tuple[Obj, ...] = (),
    labels: dict[str, str] | None = None,
    control_plane: bool = False,
) -> None:
    """Create a node that has no GPU yet.

    Args:
        api: the cluster.
        name: of the node, and its host name.
        address: its internal IP address.
        taints: beside the one of a control plane.
        labels: beside those that every node has.
        control_plane: give it the label and the taint of a control plane.
    """
    every = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
    role = {"node-role.kubernetes.io/control-plane": ""} if control_plane else {}
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {**every, **role, **(labels or {})},
            # Every kubelet sets annotations; NFD's patch is refused where a node has none at all.
            "annotations": {"volumes.kubernetes.io/controller-managed-attach-detach": "true"},
        },
        "spec": {"taints": [*((CONTROL_PLANE_TAINT,) if control_plane else ()), *taints]},
    }
    status = {
        "capacity": _CAPACITY,
        "allocatable": _CAPACITY,
        "addresses": [{"type": "InternalIP", "address": address}, {"type": "Hostname", "address": name}],
        "nodeInfo": {
            "architecture": "amd64",
            "bootID": "",
            "containerRuntimeVersion": "containerd://2.1.4",
            "kernelVersion": "6.12.48-talos",
            "kubeProxyVersion": "",
            "kubeletVersion": "v1.34.2",
            "machineID": "",
            "operatingSystem": "linux",
            "osImage": "Talos (v1.13.3)",
            "systemUUID": "",
        },
    }
    api.patch(api.apply(node), {"status": status}, subresource="status")


def ready(api: Api) -> list[str]:
    """Return the names of the nodes that are Ready, sorted."""
    return sorted(
        node["metadata"]["name"] for node in api.find("v1", "Node") if condition(node, "Ready").get("status") == "True"
    )


def labels(api: Api, name: str) -> dict[str, str]:
    """Return a node's labels."""
    found: dict[str, str] = _node(api, name)["metadata"]["labels"]
    return found


def allocatable(api: Api, name: str, resource: str = GPU) -> str | None:
    """Return how much of a resource a node says that it can allocate, or None where it does not know the resource."""
    return (_node(api, name)["status"].get("allocatable") or {}).get(resource)


def report(api: Api, name: str, count: int | None, resource: str = GPU) -> None:
    """Set what a node says about a resource, as its kubelet would.

    Args:
        api: the cluster.
        name: of the node.
        count: how many; None takes the resource away.
        resource: its name.
    """
    value = None if count is None else str(count)
    change = {"status": {"capacity": {resource: value}, "allocatable": {resource: value}}}
    api.patch({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}, change, subresource="status")


def report_pci(api: Api, name: str, namespace: str, *, vendor: str = "10de", device_class: str = "0300") -> None:
    """Report a PCI device the way that NFD's worker does after its scan: by a NodeFeature object.

    Args:
        api: the cluster.
        name: of the node.
        namespace: of NFD's worker; NFD names the object after the node.
        vendor: PCI vendor, four hexadecimal digits.
        device_class: PCI class, four hexadecimal digits; 0300 is a graphics card with a display.
    """
    device = {"attributes": {"vendor": vendor, "class": device_class, "device": "2c05"}}
    feature = {
        "apiVersion": "nfd.k8s-sigs.io/v1alpha1",
        "kind": "NodeFeature",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {"nfd.node.kubernetes.io/node-name": name},
        },
        "spec": {
            "features": {
                "flags": {},
                "attributes": {},
                "instances": {"pci.device": {"elements": [device]}},
            },
            "labels": {},
        },
    }
    api.apply(feature, manager="nfd-worker")


def _node(api: Api, name: str) -> Obj:
    node = api.get("v1", "Node", name)
    if node is None:
        raise LookupError(f"there is no node {name}")
    return node
