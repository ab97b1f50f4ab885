"""Questions about a compiled stack on a running cluster."""

from __future__ import annotations

from collections.abc import Iterable

from tests.e2e.api import Api, ApiError, Obj

PLUGIN = "nvidia-device-plugin"
GFD = "gpu-feature-discovery"
DCGM = "dcgm-exporter"
NFD_WORKER = "nfd-worker"
MPS = "nvidia-mps-control-daemon"
_KEPT_BY_SERVER = ("managedFields", "resourceVersion")


def desired(api: Api, namespace: str, name: str) -> int | None:
    """Return how many pods a DaemonSet wants, or None where there is no such DaemonSet or no controller has seen it."""
    found = (api.get("apps/v1", "DaemonSet", name, namespace) or {}).get("status", {})
    return found.get("desiredNumberScheduled") if found.get("observedGeneration") else None


def where(api: Api, namespace: str, owner: str) -> list[str]:
    """Return the nodes on which the pods of a DaemonSet run, sorted."""
    return sorted(
        pod["spec"]["nodeName"]
        for pod in api.find("v1", "Pod", namespace)
        if pod["status"].get("phase") == "Running" and _owner(pod) == owner
    )


def pods(api: Api, namespace: str, owner: str) -> list[str]:
    """Return the UIDs of the pods of a DaemonSet, sorted."""
    return sorted(pod["metadata"]["uid"] for pod in api.find("v1", "Pod", namespace) if _owner(pod) == owner)


def _owner(pod: Obj) -> str:
    owners = [owner["name"] for owner in pod["metadata"].get("ownerReferences", []) if owner["kind"] == "DaemonSet"]
    return str(owners[0]) if owners else ""


def name(obj: Obj) -> str:
    """Return an object's kind and name, for people."""
    return f"{obj['kind']} {obj['metadata']['name']}"


def read(api: Api, obj: Obj) -> Obj | None:
    """Return the object that the cluster has under the name of `obj`, or None."""
    meta = obj["metadata"]
    return api.get(obj["apiVersion"], obj["kind"], meta["name"], meta.get("namespace", ""))


def missing(api: Api, objects: Iterable[Obj]) -> list[str]:
    """Return which of some objects the cluster does not have."""
    return [name(obj) for obj in objects if read(api, obj) is None]


def present(api: Api, objects: Iterable[Obj]) -> list[str]:
    """Return which of some objects the cluster has."""
    return [name(obj) for obj in objects if read(api, obj) is not None]


def differences(api: Api, objects: Iterable[Obj]) -> list[str]:
    """Return what a strict server-side apply by somebody new would be refused for, or would change.

    Nothing is stored, so that the one who asks owns no field afterwards.
    """
    found = []
    for obj in objects:
        before = read(api, obj)
        try:
            after = api.apply(obj, manager="somebody-new", dry_run=True)
        except ApiError as error:
            found.append(f"{name(obj)}: {error}")
            continue
        if before is None or _content(before) != _content(after):
            found.append(f"{name(obj)} would change")
    return found


def applied(api: Api, objects: Iterable[Obj], manager: str) -> list[str]:
    """Apply objects as `manager`, in their order and strict about fields; return what was refused, and why."""
    found = []
    for obj in objects:
        try:
            api.apply(obj, manager=manager)
        except ApiError as error:
            found.append(f"{name(obj)}: {error}")
    return found


def snapshot(api: Api, objects: Iterable[Obj]) -> dict[str, Obj]:
    """Return what the cluster has of some objects, by kind and name, with the owners of their fields."""
    found = {name(obj): read(api, obj) for obj in objects}
    return {key: _content(obj) | {"owners": _ownership(obj)} for key, obj in found.items() if obj}


def changed(before: dict[str, Obj], after: dict[str, Obj]) -> list[str]:
    """Return the names of what differs between two snapshots."""
    return sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))


def _content(obj: Obj) -> Obj:
    """Return an object without what controllers report about it; `generation` stays, which any change raises."""
    meta = {key: value for key, value in obj["metadata"].items() if key not in _KEPT_BY_SERVER}
    return {key: value for key, value in obj.items() if key != "status"} | {"metadata": meta}


def _ownership(obj: Obj) -> list[Obj]:
    """Return who owns which fields since when, the status left out."""
    return [entry for entry in obj["metadata"]["managedFields"] if entry.get("subresource") != "status"]


def uids(api: Api, objects: Iterable[Obj]) -> dict[str, str]:
    """Return the UID of each object that the cluster has, by kind and name: it changes when one is made anew."""
    found = {name(obj): read(api, obj) for obj in objects}
    return {key: obj["metadata"]["uid"] for key, obj in found.items() if obj}
