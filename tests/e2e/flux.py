"""Flux: its source-controller and kustomize-controller, run outside of the cluster with a kubeconfig."""

from __future__ import annotations

import time
from pathlib import Path

from tests.e2e.api import Api, Obj, condition
from tests.e2e.processes import Program, Programs, free_ports, listening, minimal_env

NAMESPACE = "flux-system"
GIT_REPOSITORY = ("source.toolkit.fluxcd.io/v1", "GitRepository")
KUSTOMIZATION = ("kustomize.toolkit.fluxcd.io/v1", "Kustomization")

_START_S = 60.0


def start(programs: Programs, binaries: Path, kubeconfig: Path, storage: Path) -> list[Program]:
    """Start both controllers, and wait until source-controller serves its artifacts.

    Args:
        programs: what the processes belong to.
        binaries: folder of the built programs.
        kubeconfig: of an administrator; a Kustomization's own service account is impersonated with it.
        storage: folder for the artifacts; made here.

    Returns:
        The two programs.

    Raises:
        ProgramFailed: source-controller does not come up.
    """
    storage.mkdir(parents=True)
    ports = free_ports(5)
    common = ["--enable-leader-election=false", "--log-level=info", "--watch-all-namespaces=true"]
    env = {**minimal_env(), "KUBECONFIG": str(kubeconfig), "RUNTIME_NAMESPACE": NAMESPACE, "TMPDIR": str(storage)}
    source = programs.start(
        "source-controller",
        [
            binaries / "source-controller",
            f"--storage-path={storage}",
            f"--storage-addr=127.0.0.1:{ports[0]}",
            f"--storage-adv-addr=127.0.0.1:{ports[0]}",
            f"--metrics-addr=127.0.0.1:{ports[1]}",
            f"--health-addr=127.0.0.1:{ports[2]}",
            *common,
        ],
        env=env,
    )
    kustomize = programs.start(
        "kustomize-controller",
        [
            binaries / "kustomize-controller",
            f"--metrics-addr=127.0.0.1:{ports[3]}",
            f"--health-addr=127.0.0.1:{ports[4]}",
            "--requeue-dependency=2s",  # 30 s by default: how long a Kustomization sleeps before it looks again
            *common,
        ],
        env=env,
    )
    source.wait_until(lambda: listening(ports[0]), _START_S)
    return [source, kustomize]


def git_repository(name: str, url: str, branch: str = "main") -> Obj:
    """Return a GitRepository that looks for new commits once a minute."""
    api_version, kind = GIT_REPOSITORY
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {"interval": "1m0s", "url": url, "ref": {"branch": branch}},
    }


def named(name: str) -> Obj:
    """Return what says which Kustomization is meant."""
    api_version, kind = KUSTOMIZATION
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": NAMESPACE}}


def kustomization(name: str, source: str, path: str, spec: Obj) -> Obj:
    """Return a Kustomization of a GitRepository's folder; `spec` goes over what is usual."""
    usual = {
        "interval": "30m0s",
        "retryInterval": "2s",
        "timeout": "1m0s",
        "prune": True,
        "path": path,
        "sourceRef": {"kind": "GitRepository", "name": source},
    }
    return {**named(name), "spec": {**usual, **spec}}


def reconcile(api: Api, kind: tuple[str, str], name: str, namespace: str = NAMESPACE) -> str:
    """Ask Flux to reconcile an object now, as `flux reconcile` does. Returns the request, as `handled` shows it."""
    api_version, kind_name = kind
    meta = {"name": name, "namespace": namespace}
    request = str(time.time_ns())
    change = {"metadata": {"annotations": {"reconcile.fluxcd.io/requestedAt": request}}}
    api.patch({"apiVersion": api_version, "kind": kind_name, "metadata": meta}, change)
    return request


def handled(api: Api, kind: tuple[str, str], name: str, namespace: str = NAMESPACE) -> str:
    """Return the last request to reconcile that Flux has dealt with."""
    return str((api.get(*kind, name, namespace) or {}).get("status", {}).get("lastHandledReconcileAt", ""))


def ready(api: Api, kind: tuple[str, str], name: str, namespace: str = NAMESPACE) -> str:
    """Return an object's Ready condition: `True`, `False`, or `Unknown` while Flux works on it.

    It is `outdated` where it speaks of an earlier generation (the status's own observedGeneration would not do: Flux
    leaves it alone while an object fails), and `missing` where there is no such object.
    """
    obj = api.get(*kind, name, namespace)
    if obj is None:
        return "missing"
    found = condition(obj, "Ready")
    if found.get("observedGeneration") != obj["metadata"]["generation"]:
        return "outdated"
    return str(found["status"])


def message(api: Api, kind: tuple[str, str], name: str, namespace: str = NAMESPACE) -> str:
    """Return what an object's Ready condition says in words."""
    return str(condition(api.get(*kind, name, namespace), "Ready").get("message", ""))


def health_failures(api: Api, name: str, namespace: str = NAMESPACE) -> list[str]:
    """Return what a Kustomization's failed health checks waited for, from its events.

    Its condition says so too, but only until the next attempt, which may follow at once.
    """
    events = [one for one in api.find("v1", "Event", namespace) if one["involvedObject"]["name"] == name]
    found = [one["message"] for one in events if one["reason"] == "HealthCheckFailed"]
    return [message.partition("waiting for: ")[2] for message in found]


def applied_revision(api: Api, name: str, namespace: str = NAMESPACE) -> str:
    """Return the commit that a Kustomization applied last, as a bare hash; empty where it never did."""
    obj = api.get(*KUSTOMIZATION, name, namespace) or {}
    return str(obj.get("status", {}).get("lastAppliedRevision", "")).rpartition(":")[2]
