"""Proves that the run can fail: three small mistakes in what is compiled, each of which has to make it red."""

from __future__ import annotations

import io
from dataclasses import dataclass

from tests.e2e.cluster import WORKER4, Cluster
from tests.e2e.evidence import Evidence, NotProven
from tests.e2e.machines import Machines
from tests.e2e.scenarios import chain
from tests.e2e.scenarios.chain import CONTROL1, NAMESPACE, WORKER1
from tests.e2e.served import edit, serve_checkout

_PATIENCE_S = 8.0
"""Far more than any of these facts needs here; the first run, without a mistake, shows that it is enough."""
_POOL = "out/overlays/worker4/pools/worker4"
_GREEN = "green"


@dataclass(frozen=True)
class _Mistake:
    words: str
    path: str
    old: str
    new: str
    found_by: str
    """The start of the fact that does not hold."""


_MISTAKES = (
    _Mistake(
        "a wrong toleration",
        f"{_POOL}/daemonset-nvidia-device-plugin.patch.yaml",
        "value: ai\n",
        "value: ia\n",
        "the device plugin has exactly one pod, on k8s-worker4",
    ),
    _Mistake(
        "a wrong label",
        "out/base/node-feature-rule/nodefeaturerule-nvidia-gpu-present.yaml",
        "nvidia.com/gpu.present:",
        "nvidia.com/gpu-present:",
        "NFD's worker, with its own rights, finds the card, and its master, with its own, labels k8s-worker4",
    ),
    _Mistake(
        "a wrong key in the plugin's configuration",  # one that NVIDIA's parser reads without a word
        f"{_POOL}/nvidia-device-plugin-config/config.yaml",
        "timeSlicing:",
        "time-slicing:",
        "NVIDIA's device plugin, with the compiled configuration and environment, lists 5 devices",
    ),
)


def prove(cluster: Cluster, evidence: Evidence) -> None:
    """Walk the chain once as it is, and once with each mistake.

    Raises:
        NotProven: the run is red as it is, or green with a mistake, or red for another reason.
    """
    serve_checkout(cluster.repository)
    evidence.now("the chain as it is compiled is green", _walk(cluster, evidence, "as it is"), _GREEN)
    for mistake in _MISTAKES:
        path = cluster.repository.tree / mistake.path
        edit(path, mistake.old, mistake.new)
        verdict = _walk(cluster, evidence, mistake.words)
        edit(path, mistake.new, mistake.old)
        evidence.now(f"{mistake.words} makes it red: “{mistake.found_by}”", verdict, mistake.found_by)


def _walk(cluster: Cluster, evidence: Evidence, words: str) -> str:
    """Walk the chain from a commit of the working tree to the GPUs, and clean up. Returns the fact that failed."""
    revision = cluster.repository.commit(words)
    quiet = Evidence(io.StringIO(), check=cluster.programs.check, patience_s=_PATIENCE_S)
    verdict = _GREEN
    with Machines(cluster, [CONTROL1, WORKER1, WORKER4], [NAMESPACE]) as machines, evidence.meanwhile(machines.step):
        chain.follow(cluster, Evidence(io.StringIO()), revision, words, gate=False)
        try:
            with quiet.meanwhile(machines.step):
                chain.pods_land(cluster, machines, quiet)
                chain.gpus_appear(cluster, machines, quiet, 5)
        except NotProven as error:
            verdict = str(error).removeprefix("not proven: ").partition(" (within")[0]
        chain.remove(cluster, Evidence(io.StringIO()), "removed")
        cluster.api.delete("v1", "ConfigMap", "gpu-gate", NAMESPACE)  # Flux leaves what a suspended one applied
    chain.clean(cluster.api)
    return verdict
