"""The whole cluster, put together. Read `assemble` from top to bottom: it is the order in which things come up."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.e2e import controlplane, flux, nodes
from tests.e2e.api import Api, Obj, condition
from tests.e2e.build import CHECKOUT
from tests.e2e.controlplane import ControlPlane
from tests.e2e.gitserver import GitServer, Repository
from tests.e2e.pods import Kubelet, Node
from tests.e2e.processes import Programs

CRDS = CHECKOUT / "compiler" / "schemas" / "crds"
FLUX_CRDS = (
    "gitrepositories.source.toolkit.fluxcd.io",
    "ocirepositories.source.toolkit.fluxcd.io",
    "kustomizations.kustomize.toolkit.fluxcd.io",
)
PROMETHEUS_CRDS = ("prometheusrules.monitoring.coreos.com", "servicemonitors.monitoring.coreos.com")
"""What monitoring needs from the Prometheus operator, or from VictoriaMetrics' as it stands in for it."""
# Kinds that source-controller watches and refuses to start without, though nothing here uses them.
_UNUSED_FLUX_KINDS = {
    "Bucket": "buckets",
    "ExternalArtifact": "externalartifacts",
    "HelmChart": "helmcharts",
    "HelmRepository": "helmrepositories",
}

WORKER4 = "k8s-worker4"
WORKER4_TAINT = {"key": "dedicated", "value": "ai", "effect": "NoSchedule"}


@dataclass(frozen=True)
class Cluster:
    """A running cluster, and the git repository that its Flux can read."""

    programs: Programs
    binaries: Path
    folder: Path
    plane: ControlPlane
    git: GitServer
    repository: Repository

    @property
    def api(self) -> Api:
        """The cluster's API, as an administrator."""
        return self.plane.api

    def machine(self, name: str) -> Kubelet:
        """Return what runs containers for real on a node, whose machine has no card yet."""
        folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.folder))
        return Kubelet(self.programs, self.plane, self.binaries, Node.make(name, folder))


def assemble(programs: Programs, git: GitServer, binaries: Path, folder: Path) -> Cluster:
    """Put a cluster together: a control plane, three nodes without a GPU, and Flux.

    The nodes are a control plane, a plain worker, and k8s-worker4 with its taint. NFD is left to the scenario, since
    its CRDs come with what is compiled.

    Args:
        programs: what the processes belong to.
        git: serves `<folder>/git`.
        binaries: folder of the built programs.
        folder: working folder of the run.

    Returns:
        The cluster, once its nodes are Ready and Flux runs.

    Raises:
        ProgramFailed: a program does not come up.
        ApiError: the API server refuses something.
    """
    plane = controlplane.start(programs, binaries, folder / "control-plane")
    api = plane.api

    nodes.create(api, "k8s-control1", address="192.168.1.220", control_plane=True)
    nodes.create(api, "k8s-worker1", address="192.168.1.221")
    nodes.create(api, WORKER4, address="192.168.1.224", taints=(WORKER4_TAINT,))
    nodes.start_kwok(programs, binaries, plane.kubeconfig)

    install_crds(api, [*read_crds(FLUX_CRDS), *_unused_flux_crds()])
    api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": flux.NAMESPACE}})
    flux.start(programs, binaries, plane.kubeconfig, folder / "artifacts")

    repository = Repository(folder / "git" / "fleet.git", folder / "tree")
    return Cluster(programs, binaries, folder, plane, git, repository)


def read_yaml(path: Path) -> list[Obj]:
    """Return the documents of a YAML file, empty ones left out."""
    yaml = YAML(typ="safe")
    documents: Iterable[Any] = yaml.load_all(path)
    return [one for one in documents if one]


def read_crds(names: Iterable[str]) -> list[Obj]:
    """Return CRDs that gpuc validates against, by name."""
    return [crd for name in names for crd in read_yaml(CRDS / f"{name}.yaml")]


def install_crds(api: Api, crds: Iterable[Obj], *, within_s: float = 30) -> None:
    """Apply CRDs and wait until the API server serves them.

    Raises:
        TimeoutError: it does not within the time.
    """
    names = [api.apply(crd)["metadata"]["name"] for crd in crds]
    end = time.monotonic() + within_s
    while waiting := [name for name in names if not _established(api, name)]:
        if time.monotonic() > end:
            raise TimeoutError(f"not served after {within_s:g} s: {', '.join(waiting)}")
        time.sleep(0.1)


def _established(api: Api, name: str) -> bool:
    crd = api.get("apiextensions.k8s.io/v1", "CustomResourceDefinition", name)
    return condition(crd, "Established").get("status") == "True"


def _unused_flux_crds() -> list[Obj]:
    """Return CRDs without a schema for the kinds of Flux that only have to exist."""
    group = "source.toolkit.fluxcd.io"
    anything = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1", "served": True, "storage": True, "schema": anything, "subresources": {"status": {}}}
    return [
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {
                "group": group,
                "scope": "Namespaced",
                "names": {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()},
                "versions": [version],
            },
        }
        for kind, plural in _UNUSED_FLUX_KINDS.items()
    ]
