"""What the doctor scenario breaks on a live cluster, and mends again: each fault is a context manager."""

from __future__ import annotations

import copy
import os
import signal
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.e2e import flux, live, nodes
from tests.e2e.api import Api, Obj, condition
from tests.e2e.cluster import WORKER4, WORKER4_TAINT, Cluster, install_crds, read_crds
from tests.e2e.evidence import Evidence
from tests.e2e.machines import Machines
from tests.e2e.scenarios.chain import NAMESPACE, POOL, PRESENT

PLUGIN = f"{live.PLUGIN}-{POOL}"
MONITOR_CRD = "servicemonitors.monitoring.coreos.com"
NVML = (
    'E1130 20:11:02.1 1 main.go:183] "error starting plugins" err="failed to create resource manager: '
    'Failed to initialize NVML: Driver Not Loaded"\n'
)
_NODE: Obj = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": WORKER4}}


@dataclass(frozen=True)
class Broken:
    """The cluster to break. `base_id` is the schematic without the driver."""

    cluster: Cluster
    machines: Machines
    evidence: Evidence
    base_id: str

    @property
    def api(self) -> Api:
        """The cluster's API."""
        return self.cluster.api


Fault = Callable[[Broken], AbstractContextManager[None]]


def _named(api_version: str, kind: str, name: str, namespace: str = NAMESPACE) -> Obj:
    where = {"namespace": namespace} if namespace else {}
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, **where}}


def inverse(before: Obj, change: Obj) -> Obj:
    """Return the merge patch that takes back a merge patch."""
    return {
        key: inverse(before.get(key) or {}, value) if isinstance(value, dict) else before.get(key)
        for key, value in change.items()
    }


@contextmanager
def _changed(api: Api, obj: Obj, change: Obj, subresource: str = "") -> Iterator[None]:
    before = live.read(api, obj)
    assert before is not None
    api.patch(obj, change, subresource=subresource)
    yield
    api.patch(obj, inverse(before, change), subresource=subresource)


@contextmanager
def _deleted(api: Api, obj: Obj) -> Iterator[None]:
    before = live.read(api, obj)
    assert before is not None
    meta = obj["metadata"]
    api.delete(obj["apiVersion"], obj["kind"], meta["name"], meta.get("namespace", ""))
    yield
    kept = {key: before["metadata"][key] for key in ("labels", "annotations") if key in before["metadata"]}
    content = {key: value for key, value in before.items() if key not in ("status", "metadata")}
    api.apply({**content, "metadata": {**meta, **kept}})


@contextmanager
def node_not_ready(broken: Broken) -> Iterator[None]:
    """Stop the one that speaks for the kubelet, and say what the node controller says then."""
    (kwok,) = (one for one in broken.cluster.programs._running if one.name == "kwok")
    os.kill(kwok.process.pid, signal.SIGSTOP)
    silent = {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown", "message": "Kubelet stopped posting"}
    broken.api.patch(_NODE, {"status": {"conditions": [silent]}}, subresource="status")
    yield
    os.kill(kwok.process.pid, signal.SIGCONT)
    broken.evidence.wait("the node is Ready again", lambda: WORKER4 in nodes.ready(broken.api), within_s=30)
    broken.evidence.wait("its taints are the old ones", lambda: _taints(broken.api) == [WORKER4_TAINT], within_s=30)


def _taints(api: Api) -> list[Obj]:
    return list((live.read(api, _NODE) or {})["spec"].get("taints", []))


def taint_missing(broken: Broken) -> AbstractContextManager[None]:
    """Take the pool's taint off the node."""
    return _changed(broken.api, _NODE, {"spec": {"taints": None}})


def base_image(broken: Broken) -> AbstractContextManager[None]:
    """Let the node say, as Talos does, that it booted the image without the driver."""
    schematic = {"extensions.talos.dev/schematic": broken.base_id}
    return _changed(broken.api, _NODE, {"metadata": {"annotations": schematic}})


@contextmanager
def flux_fails(broken: Broken) -> Iterator[None]:
    """Send Flux to a folder that does not exist."""
    with _changed(broken.api, flux.named("gpu-stack"), {"spec": {"path": "./out/nowhere"}}):
        broken.evidence.wait(
            "Flux fails", lambda: flux.ready(broken.api, flux.KUSTOMIZATION, "gpu-stack") == "False", within_s=30
        )
        yield


def namespace_not_privileged(broken: Broken) -> AbstractContextManager[None]:
    """Take the Pod Security label off the namespace."""
    label = {"pod-security.kubernetes.io/enforce": None}
    return _changed(broken.api, _named("v1", "Namespace", NAMESPACE, ""), {"metadata": {"labels": label}})


def runtime_class_missing(broken: Broken) -> AbstractContextManager[None]:
    """Delete the RuntimeClass."""
    return _deleted(broken.api, _named("node.k8s.io/v1", "RuntimeClass", "nvidia", ""))


@contextmanager
def runtime_class_other_handler(broken: Broken) -> Iterator[None]:
    """Put another RuntimeClass of that name in its place."""
    wanted = _named("node.k8s.io/v1", "RuntimeClass", "nvidia", "")
    with _deleted(broken.api, wanted):
        broken.api.apply({**wanted, "handler": "runc"})
        yield
        broken.api.delete("node.k8s.io/v1", "RuntimeClass", "nvidia")


@contextmanager
def nfd_worker_kept_off(broken: Broken) -> Iterator[None]:
    """Take the toleration from NFD's worker."""
    spec = {"spec": {"template": {"spec": {"tolerations": None}}}}
    with _changed(broken.api, _named("apps/v1", "DaemonSet", live.NFD_WORKER), spec):
        _wait_for(broken, live.NFD_WORKER, there=False)
        yield


@contextmanager
def no_card(broken: Broken) -> Iterator[None]:
    """Have NFD's worker report a machine without a card."""
    broken.machines.hold(WORKER4, "worker")
    features = {"spec": {"features": {"instances": {"pci.device": None}}}}
    with _changed(broken.api, _named("nfd.k8s-sigs.io/v1alpha1", "NodeFeature", WORKER4), features):
        _no_label(broken)
        yield
    broken.machines.release(WORKER4, "worker")


@contextmanager
def rule_missing(broken: Broken) -> Iterator[None]:
    """Delete the NodeFeatureRule, and with it, by NFD's master, the label."""
    with _deleted(broken.api, _named("nfd.k8s-sigs.io/v1alpha1", "NodeFeatureRule", "nvidia-gpu-present", "")):
        _no_label(broken)
        yield


def _no_label(broken: Broken) -> None:
    broken.evidence.wait(
        "NFD's master takes the label off", lambda: PRESENT not in nodes.labels(broken.api, WORKER4), within_s=30
    )


@contextmanager
def plugin_wants_none(broken: Broken) -> Iterator[None]:
    """Let the plugin select a label that nobody makes."""
    selector = {"spec": {"template": {"spec": {"nodeSelector": {"pci-10de.present": "true"}}}}}
    with _changed(broken.api, _named("apps/v1", "DaemonSet", PLUGIN), selector):
        _wait_for(broken, PLUGIN, there=False)
        broken.evidence.wait("0 are wanted", lambda: live.desired(broken.api, NAMESPACE, PLUGIN) == 0, within_s=30)
        yield


def _wait_for(broken: Broken, daemon_set: str, *, there: bool) -> None:
    broken.evidence.wait(
        f"the pod of {daemon_set} is {'there' if there else 'gone'}",
        lambda: (WORKER4 in live.where(broken.api, NAMESPACE, daemon_set)) is there,
        within_s=30,
    )


@contextmanager
def second_plugin(broken: Broken) -> Iterator[None]:
    """Install NVIDIA's plugin a second time, as its chart names it."""
    other = copy.deepcopy(live.read(broken.api, _named("apps/v1", "DaemonSet", PLUGIN)))
    assert other is not None
    meta = {"name": "nvdp-nvidia-device-plugin", "namespace": "default"}
    broken.api.apply({**{key: other[key] for key in ("apiVersion", "kind", "spec")}, "metadata": meta})
    yield
    broken.api.delete("apps/v1", "DaemonSet", meta["name"], meta["namespace"])


@contextmanager
def config_not_rolled_out(broken: Broken) -> Iterator[None]:
    """Let the plugin read an older ConfigMap."""
    api, old = broken.api, f"nvidia-device-plugin-config-{POOL}-older"
    daemon_set = live.read(api, _named("apps/v1", "DaemonSet", PLUGIN))
    assert daemon_set is not None
    volumes = copy.deepcopy(daemon_set["spec"]["template"]["spec"]["volumes"])
    (config,) = (one["configMap"] for one in volumes if "configMap" in one)
    current = live.read(api, _named("v1", "ConfigMap", config["name"]))
    assert current is not None
    api.apply({**_named("v1", "ConfigMap", old), "data": current["data"]})
    config["name"] = old
    with _changed(api, _named("apps/v1", "DaemonSet", PLUGIN), {"spec": {"template": {"spec": {"volumes": volumes}}}}):
        _wait_for(broken, PLUGIN, there=True)
        yield
    api.delete("v1", "ConfigMap", old, NAMESPACE)


@contextmanager
def nvml_not_initialised(broken: Broken) -> Iterator[None]:
    """Let the plugin crash as on the image without the driver; its log comes from the node, through the API server."""
    api = broken.api
    broken.machines.hold(WORKER4, live.PLUGIN)
    (pod,) = (one for one in api.find("v1", "Pod", NAMESPACE) if one["metadata"]["name"].startswith(PLUGIN))
    crashed = copy.deepcopy(pod["status"]["containerStatuses"])
    crashed[0] |= {"ready": False, "restartCount": 7, "state": {"waiting": {"reason": "CrashLoopBackOff"}}}
    conditions = [{**one, "status": "False"} if one["type"] == "Ready" else one for one in pod["status"]["conditions"]]
    status = {"status": {"containerStatuses": crashed, "conditions": conditions}}
    with _kubelet(broken, NVML) as endpoint, _changed(api, _NODE, {"status": endpoint}, "status"):
        api.patch(_named("v1", "Pod", pod["metadata"]["name"]), status, subresource="status")
        yield
    broken.machines.release(WORKER4, live.PLUGIN)
    api.delete("v1", "Pod", pod["metadata"]["name"], NAMESPACE)


@contextmanager
def _kubelet(broken: Broken, log: str) -> Iterator[Obj]:
    """Serve a log as a kubelet does; the value is what the node's status has to say for the API server to find it."""

    class Logs(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path.startswith("/containerLogs/") else 404)
            self.end_headers()
            self.wfile.write(log.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Logs)
    certificates = broken.cluster.folder / "control-plane" / "certificates"
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificates / "apiserver.crt", certificates / "apiserver.key")
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield {
            "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": server.server_address[1]}},
        }
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def allocatable(broken: Broken, count: int) -> Iterator[None]:
    """Let the node offer another number of GPUs."""
    nodes.report(broken.api, WORKER4, count)
    yield
    nodes.report(broken.api, WORKER4, 5)


@contextmanager
def pod_without_toleration(broken: Broken) -> Iterator[None]:
    """Run a pod with everything but the toleration."""
    pod = _named("v1", "Pod", "no-toleration", "default")
    container = {"name": "main", "image": "registry.example.com/a", "resources": {"limits": {nodes.GPU: "1"}}}
    spec = {"runtimeClassName": "nvidia", "nodeSelector": {PRESENT: "true"}, "containers": [container]}
    broken.api.apply({**pod, "spec": spec})
    broken.evidence.wait(
        "the scheduler has looked at it",
        lambda: condition(live.read(broken.api, pod), "PodScheduled").get("status") == "False",
        within_s=30,
    )
    yield
    broken.api.delete("v1", "Pod", "no-toleration", "default")


def exporter_missing(broken: Broken) -> AbstractContextManager[None]:
    """Delete the exporter's DaemonSet."""
    return _deleted(broken.api, _named("apps/v1", "DaemonSet", f"{live.DCGM}-{POOL}"))


@contextmanager
def no_service_monitor_crd(broken: Broken) -> Iterator[None]:
    """Delete the CRD, and with it the ServiceMonitor."""
    api = broken.api
    api.delete("apiextensions.k8s.io/v1", "CustomResourceDefinition", MONITOR_CRD)
    broken.evidence.wait(
        "the CRD is gone",
        lambda: api.get("apiextensions.k8s.io/v1", "CustomResourceDefinition", MONITOR_CRD) is None,
        within_s=30,
    )
    yield
    install_crds(api, read_crds([MONITOR_CRD]))
    flux.reconcile(api, flux.KUSTOMIZATION, "gpu-monitoring")


@contextmanager
def node_missing(broken: Broken) -> Iterator[None]:
    """Delete the node. It is made anew without a GPU, so this is the last fault."""
    broken.api.delete("v1", "Node", WORKER4)
    yield
    nodes.create(broken.api, WORKER4, address="192.168.1.224", taints=(WORKER4_TAINT,))
