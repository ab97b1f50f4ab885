"""Proves gpuc doctor: silent on a healthy cluster, and right about each fault, through kubectl and from saved JSON."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.e2e.cluster import WORKER4, Cluster, install_crds, read_crds
from tests.e2e.evidence import Evidence
from tests.e2e.machines import Machines
from tests.e2e.scenarios import chain
from tests.e2e.scenarios import doctor_faults as faults
from tests.e2e.scenarios.chain import CONTROL1, NAMESPACE, WORKER1
from tests.e2e.scenarios.doctor_faults import PLUGIN, Broken, Fault
from tests.e2e.served import serve_checkout

_CRDS = (faults.MONITOR_CRD, "prometheusrules.monitoring.coreos.com")
_EVERYTHING_IS_UP_S = 120


class _Case(NamedTuple):
    """A fault, the first broken link that doctor has to name, and the start of a command that has to come next."""

    words: str
    fault: Fault
    link: str
    command: str


_Verdict = tuple[int, str | None]
"""What one run says: its exit code, and the first broken link."""


_FLUX = "flux {options}reconcile kustomization gpu-stack -n flux-system --with-source"
_UPGRADE = "talosctl upgrade --nodes 192.168.1.224 --image factory.talos.dev/nocloud-installer/"
_CASES = (
    _Case("a node that is not Ready", faults.node_not_ready, "node", f"{{kubectl}} describe node {WORKER4}"),
    _Case(
        "a missing taint",
        faults.taint_missing,
        "taints",
        f"{{kubectl}} taint node {WORKER4} dedicated=ai:NoSchedule",
    ),
    _Case("the image without the driver", faults.base_image, "image", _UPGRADE),
    _Case(
        "a stack that Flux cannot build",
        faults.flux_fails,
        "delivered",
        "{kubectl} -n flux-system describe kustomizations.kustomize.toolkit.fluxcd.io gpu-stack",
    ),
    _Case(
        "a namespace that is not privileged",
        faults.namespace_not_privileged,
        "namespace",
        f"{{kubectl}} label namespace {NAMESPACE} pod-security.kubernetes.io/enforce=privileged --overwrite",
    ),
    _Case("a missing RuntimeClass", faults.runtime_class_missing, "runtime-class", _FLUX),
    _Case(
        "a RuntimeClass with another handler",
        faults.runtime_class_other_handler,
        "runtime-class",
        "{kubectl} delete runtimeclass nvidia",
    ),
    _Case("an NFD worker without the toleration", faults.nfd_worker_kept_off, "nfd", _FLUX),
    _Case("a card that left the bus", faults.no_card, "pci-device", "talosctl get pcidevices --nodes 192.168.1.224"),
    _Case("a missing NodeFeatureRule", faults.rule_missing, "rule", _FLUX),
    _Case("a plugin that wants no pod", faults.plugin_wants_none, "plugin", _FLUX),
    _Case(
        "a second device plugin",
        faults.second_plugin,
        "one-plugin",
        "{kubectl} -n default delete daemonset nvdp-nvidia-device-plugin",
    ),
    _Case(
        "an older configuration",
        faults.config_not_rolled_out,
        "plugin-config",
        f"gpuc check && git status --short out && {_FLUX}",
    ),
    _Case("a plugin that cannot initialise NVML", faults.nvml_not_initialised, "plugin-pod", _UPGRADE),
    _Case(
        "a node that offers 0 GPUs",
        partial(faults.allocatable, count=0),
        "allocatable",
        f"{{kubectl}} -n {NAMESPACE} rollout restart daemonset/{PLUGIN}",
    ),
    _Case(
        "a node that offers 3 GPUs",
        partial(faults.allocatable, count=3),
        "allocatable",
        f"{{kubectl}} -n {NAMESPACE} rollout restart daemonset/{PLUGIN}",
    ),
    _Case(
        "a pending pod without the toleration",
        faults.pod_without_toleration,
        "pending",
        "{kubectl} -n default describe pod no-toleration",
    ),
    _Case("a missing DCGM exporter", faults.exporter_missing, "dcgm-exporter", _FLUX),
    _Case(
        "a missing ServiceMonitor CRD",
        faults.no_service_monitor_crd,
        "scrape",
        f"{{kubectl}} get crd {faults.MONITOR_CRD}",
    ),
    _Case("a missing node", faults.node_missing, "node", "talosctl health --nodes 192.168.1.224"),
)
"""The node comes last: it is made anew afterwards, and has no GPU then."""


def prove(cluster: Cluster, evidence: Evidence) -> None:
    """Bring worker4 up, let doctor look, and break one thing after the other.

    Raises:
        NotProven: doctor complains about a healthy cluster, or is wrong about a broken one.
    """
    if shutil.which("kubectl") is None:
        print("skipped: there is no kubectl on PATH", flush=True)
        return
    api, tree = cluster.api, cluster.repository.tree
    revision, words = serve_checkout(cluster.repository)
    doctor = _Doctor(tree, cluster.plane.kubeconfig, cluster.folder)
    install_crds(api, read_crds(_CRDS))
    with Machines(cluster, [CONTROL1, WORKER1, WORKER4], [NAMESPACE]) as machines, evidence.meanwhile(machines.step):
        chain.follow(cluster, evidence, revision, words)
        chain.pods_land(cluster, machines, evidence)
        chain.gpus_appear(cluster, machines, evidence, 5)
        broken = Broken(cluster, machines, evidence, doctor.base_id())
        for index, case in enumerate(_CASES):
            _healthy(doctor, evidence, case.words if index else "anything breaks")
            _one(doctor, evidence, case, broken)
        chain.remove(cluster, evidence, "once the Kustomization is removed, Flux removes the others")
    chain.clean(api)


def _healthy(doctor: _Doctor, evidence: Evidence, before: str) -> None:
    evidence.eventually(
        f"before {before} the whole chain holds, and the exit code is 0",
        doctor.live,
        (0, None),
        within_s=_EVERYTHING_IS_UP_S,
    )


def _one(doctor: _Doctor, evidence: Evidence, case: _Case, broken: Broken) -> None:
    command = case.command.format(kubectl=doctor.kubectl, options=f"{doctor.options} ")
    with case.fault(broken):
        for how, ask in (("live", doctor.live), ("from saved JSON", doctor.saved)):
            evidence.eventually(
                f"{case.words}: {how}, the first broken link is {case.link}",
                ask,
                (1, case.link),
                within_s=15,
            )
            commands = doctor.commands
            found = next((one[: len(command)] for one in commands if one.startswith(command)), commands)
            shown = case.command.format(kubectl="kubectl", options="")
            evidence.now(f"and it says to type {shown[:80]}", found, command)


class _Doctor:
    """The real gpuc, with the real kubectl."""

    def __init__(self, root: Path, kubeconfig: Path, folder: Path) -> None:
        self._root = root
        self._folder = folder / "saved"
        self._gpuc = str(Path(sys.executable).with_name("gpuc"))
        self.commands: list[str] = []
        """Those of the last run, at the first broken link."""
        self.options = f"--kubeconfig={kubeconfig}"
        self.kubectl = f"kubectl {self.options}"

    def live(self) -> _Verdict:
        """Ask the cluster."""
        return self._verdict([self.options])

    def saved(self) -> _Verdict:
        """Run the commands that `--what-to-save` prints, and read what they left."""
        script = self._run([self.options, "--what-to-save"]).stdout.rpartition("gpuc doctor")[0]
        work = self._folder / str(time.monotonic_ns())
        work.mkdir(parents=True)
        subprocess.run(["sh", "-c", script], cwd=work, check=False, capture_output=True, timeout=120)
        verdict = self._verdict(["--from", str(work / "gpu-doctor")])
        shutil.rmtree(work)
        # Saved answers do not tell with which options kubectl was run.
        self.commands = [
            one.replace("kubectl ", f"{self.kubectl} ", 1).replace("flux ", f"flux {self.options} ", 1)
            for one in self.commands
        ]
        return verdict

    def base_id(self) -> str:
        """Return the schematic of worker4's image without the driver."""
        done = subprocess.run(
            [self._gpuc, "talos", "--root", str(self._root), "--format", "json"],
            check=True,
            capture_output=True,
            text=True,
        )
        return str(json.loads(done.stdout)["images"][0]["schematicWithoutDriver"])

    def _verdict(self, arguments: Sequence[str]) -> _Verdict:
        done = self._run([*arguments, "--format", "json"])
        if not done.stdout:
            return done.returncode, done.stderr.strip()
        report = json.loads(done.stdout)
        broken = [link for link in report["links"] if link["id"] == report["firstBroken"]]
        self.commands = [command for link in broken for one in link["findings"] for command in one["commands"]]
        unknown = [f"unknown: {link['id']}" for link in report["links"] if link["status"] == "unknown"]
        return done.returncode, report["firstBroken"] or (unknown[0] if unknown else None)

    def _run(self, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
        command = [self._gpuc, "doctor", "--root", str(self._root), "--overlay", chain.POOL, *arguments]
        return subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, check=False, timeout=180)
