"""Runs containers of a pod for real, as the kubelet and the NVIDIA runtime would, where their programs are built here.

kwok only says that a pod runs. Here its live object is taken at its word: environment, mounted ConfigMaps and host
paths, its service account with a token of the API server, and libnvidia-ml only where its RuntimeClass brings it.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tests.e2e import container
from tests.e2e.api import Api, Obj
from tests.e2e.build import NVML
from tests.e2e.controlplane import ControlPlane
from tests.e2e.processes import Program, Programs, free_ports, minimal_env

_ENTRYPOINTS = {"k8s-device-plugin": "nvidia-device-plugin"}
# What the image sets (deployments/container/Dockerfile, v0.19.3).
_IMAGE_ENV = {
    "k8s-device-plugin": {
        "NVIDIA_DISABLE_REQUIRE": "true",
        "NVIDIA_VISIBLE_DEVICES": "all",
        "NVIDIA_DRIVER_CAPABILITIES": "compute,utility",
    }
}
# Pods have a network each, here they share one: these programs take another port than the manifest says.
_PORT_FLAGS = {"nfd-master": "-port", "nfd-worker": "-port"}
_PCI_DEVICES = "sys/bus/pci/devices"
_NVML_FOLDER = "/run/nvidia-runtime"


@dataclass(frozen=True)
class Node:
    """The machine behind a Node object: `files` holds what its host paths show, such as `sys/bus/pci`."""

    name: str
    files: Path

    @classmethod
    def make(cls, name: str, folder: Path) -> Node:
        """Make a machine without a card below `folder`, with the few files that NFD's worker reads on every machine."""
        files = folder / "files"
        for path in ("boot", "lib", "proc", "usr/lib", "etc", _PCI_DEVICES):
            (files / path).mkdir(parents=True)
        (files / "etc/os-release").write_text("ID=talos\nVERSION_ID=v1.13.3\n", encoding="ascii")
        (files / "proc/swaps").write_text("Filename Type Size Used Priority\n", encoding="ascii")
        return cls(name, files)


class Kubelet:
    """Starts containers of pods that were scheduled to one node."""

    def __init__(self, programs: Programs, plane: ControlPlane, binaries: Path, node: Node) -> None:
        self._programs = programs
        self._plane = plane
        self._binaries = binaries
        self._started = 0
        self.node = node

    def builds(self, container_of_a_pod: Obj) -> bool:
        """Say whether the program of a container is one of those that are built here."""
        return (self._binaries / self._command(container_of_a_pod)[0]).is_file()

    def start(self, pod: Obj, wanted: Obj) -> Program:
        """Start a container of a pod.

        Args:
            pod: as the API server has it.
            wanted: one of its containers.

        Returns:
            The running program.

        Raises:
            LookupError: the container's program is not built here, or an object that the pod refers to is missing.
        """
        if not self.builds(wanted):
            raise LookupError(f"the program of {wanted['image']} is not built here")
        spec = pod["spec"]
        self._started += 1
        folder = self.node.files.parent / f"container-{self._started}"
        image = _image_name(wanted)
        env = {
            **minimal_env(),
            "KUBERNETES_SERVICE_HOST": self._plane.api.connection.host,
            "KUBERNETES_SERVICE_PORT": str(self._plane.api.connection.port),
            **_IMAGE_ENV.get(image, {}),
            **environment(self._plane.api, pod, wanted),
        }
        mounts = self._mounts(pod, wanted, folder)
        if self._has_nvml(spec, env):
            mounts[f"{_NVML_FOLDER}/{NVML}"] = self._binaries / NVML
            env["LD_LIBRARY_PATH"] = _NVML_FOLDER
        name, *arguments = self._command(wanted)
        command: list[str | Path] = [self._binaries / name, *(expand(one, env) for one in arguments)]
        if name in _PORT_FLAGS:
            command.append(f"{_PORT_FLAGS[name]}={free_ports(1)[0]}")
        title = f"{pod['metadata']['name']}.{wanted['name']}"
        return container.start(self._programs, title, folder / "run", command, env, mounts)

    def _command(self, wanted: Obj) -> list[str]:
        """Return the name of a container's program, and its arguments."""
        image = _image_name(wanted)
        command: list[str] = wanted.get("command") or [_ENTRYPOINTS.get(image, image)]
        return [PurePosixPath(command[0]).name, *command[1:], *(wanted.get("args") or [])]

    def _has_nvml(self, spec: Obj, env: Mapping[str, str]) -> bool:
        """Say whether the pod's runtime brings libnvidia-ml: NVIDIA's does for the capability `utility`."""
        runtime = self._plane.api.get("node.k8s.io/v1", "RuntimeClass", spec.get("runtimeClassName", "")) or {}
        capabilities = env.get("NVIDIA_DRIVER_CAPABILITIES", "utility").split(",")
        return (
            runtime.get("handler") == "nvidia"
            and env.get("NVIDIA_VISIBLE_DEVICES", "void") not in ("", "void", "none")
            and bool({"utility", "all"} & set(capabilities))
        )

    def _mounts(self, pod: Obj, wanted: Obj, folder: Path) -> dict[str, Path]:
        volumes = {volume["name"]: volume for volume in pod["spec"].get("volumes") or []}
        found = {f"/{_PCI_DEVICES}": self.node.files / _PCI_DEVICES}  # every container sees its node's /sys
        for one in wanted.get("volumeMounts") or []:
            source = self._volume(pod, volumes[one["name"]], folder / "volumes" / one["name"])
            found[one["mountPath"].rstrip("/")] = source / one["subPath"] if one.get("subPath") else source
        return found

    def _volume(self, pod: Obj, volume: Obj, folder: Path) -> Path:
        """Return where the content of a volume is, which is put there first."""
        if "hostPath" in volume:
            path = self.node.files / str(volume["hostPath"]["path"]).lstrip("/")
            if not path.exists():
                path.mkdir(parents=True)
            return path
        folder.mkdir(parents=True, exist_ok=True)
        sources = volume.get("projected", {}).get("sources") or [volume]
        for source in sources:
            for name, content in self._content(pod, source).items():
                (folder / name).write_bytes(content)
        return folder

    def _content(self, pod: Obj, source: Obj) -> dict[str, bytes]:
        namespace = pod["metadata"]["namespace"]
        api = self._plane.api
        if "serviceAccountToken" in source:
            account = pod["spec"]["serviceAccountName"]
            path = api.path("v1", "ServiceAccount", namespace, account) + "/token"
            request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"audiences": None}}
            token = api.request("POST", path, request)["status"]["token"]
            return {source["serviceAccountToken"]["path"]: token.encode()}
        if "downwardAPI" in source:
            items = source["downwardAPI"]["items"]
            return {item["path"]: field(pod, item["fieldRef"]["fieldPath"]).encode() for item in items}
        if "configMap" in source:
            wanted = source["configMap"]
            config = _existing(api, "ConfigMap", wanted["name"], namespace)
            data = {name: text.encode() for name, text in (config.get("data") or {}).items()}
            data |= {name: base64.b64decode(text) for name, text in (config.get("binaryData") or {}).items()}
            items = wanted.get("items") or [{"key": name, "path": name} for name in data]
            return {item["path"]: data[item["key"]] for item in items}
        if "emptyDir" in source:
            return {}
        raise LookupError(f"no such volume can be made here: {source}")


def _image_name(wanted: Obj) -> str:
    return str(wanted["image"]).partition("@")[0].rpartition("/")[2].partition(":")[0]


def environment(api: Api, pod: Obj, wanted: Obj) -> dict[str, str]:
    """Return what a container's `env` sets, references to fields and to ConfigMaps resolved."""
    found: dict[str, str] = {}
    for one in wanted.get("env") or []:
        origin = one.get("valueFrom") or {}
        if "fieldRef" in origin:
            found[one["name"]] = field(pod, origin["fieldRef"]["fieldPath"])
        elif "configMapKeyRef" in origin:
            ref = origin["configMapKeyRef"]
            config = _existing(api, "ConfigMap", ref["name"], pod["metadata"]["namespace"])
            found[one["name"]] = config["data"][ref["key"]]
        elif origin:
            raise LookupError(f"no such reference can be resolved here: {origin}")
        else:
            found[one["name"]] = expand(one.get("value") or "", found)
    return found


def field(pod: Obj, path: str) -> str:
    """Return a field of a pod that the downward API offers, such as `spec.nodeName`."""
    value: object = pod
    for part in path.split("."):
        value = value.get(part, "") if isinstance(value, dict) else ""
    return str(value)


def expand(text: str, env: Mapping[str, str]) -> str:
    """Replace `$(NAME)` by the variable's value; what names no variable stays, as Kubernetes leaves it."""
    for name, value in env.items():
        text = text.replace(f"$({name})", value)
    return text


def _existing(api: Api, kind: str, name: str, namespace: str) -> Obj:
    obj = api.get("v1", kind, name, namespace)
    if obj is None:
        raise LookupError(f"there is no {kind} {name} in {namespace}: the pod could not start")
    return obj
