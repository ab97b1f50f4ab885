"""The device plugin's pod runs on every node, and found the driver."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from compiler.components.device_plugin import NAME
from compiler.doctor import snapshot as kinds
from compiler.doctor.case import Case, Finding, Link, Verdict
from compiler.doctor.data import items, name, one_line, text
from compiler.doctor.links.image import booted
from compiler.doctor.links.pods import is_ready, trouble
from compiler.model.overlay import NodePool
from compiler.objects import Obj


class _PluginPod(Link):
    id = "plugin-pod"
    title = "plugin's pods"
    needs = (kinds.POD,)
    after = ("image", "runtime-class", "plugin")

    def check(self, case: Case) -> Verdict:
        """Look at the pod on each node, and at its log where it is not well."""
        details, findings = [], []
        for pool in case.pools:
            for node in case.nodes(pool):
                found = _on(case, pool, node)
                if found:
                    findings.append(found)
                else:
                    details.append(f"running on {name(node)}")
        return Verdict(tuple(details), tuple(findings))


def _on(case: Case, pool: NodePool, node: Obj) -> Finding | None:
    workload = f"{NAME}-{pool.name}"
    pods = case.pods(workload, name(node))
    if not pods:
        said = case.warnings("DaemonSet", workload, case.namespace)
        cause = said[-1] if said else "the DaemonSet's controller has not made one"
        return Finding(f"{workload} has no pod on {name(node)}", cause, (case.here("describe", "daemonset", workload),))
    for pod in pods:
        found = _in_log(case, pool, node, pod) or trouble(case, pod)
        if found:
            return found
    return None


class _Sign(NamedTuple):
    """Words of the plugin's log, and what they mean."""

    words: tuple[str, ...]
    explain: Callable[[Case, NodePool, Obj, Obj], tuple[str, tuple[str, ...]]]


def _in_log(case: Case, pool: NodePool, node: Obj, pod: Obj) -> Finding | None:
    """Return what the log of a pod says. A log may be older than a pod that is well, so only its end counts there."""
    lines = (case.log(pod) + "\n" + _last_words(pod)).splitlines()
    if is_ready(pod) and any(_REGISTERED in line for line in lines):
        return None
    for sign in _SIGNS:
        for line in lines:
            if any(words in line for words in sign.words):
                cause, commands = sign.explain(case, pool, node, pod)
                return Finding(f"the plugin on {name(node)} logs: {one_line(line)}", cause, commands)
    return None


def _last_words(pod: Obj) -> str:
    statuses = items(pod, "status", "containerStatuses")
    return "\n".join(text(one, state, "terminated", "message") for one in statuses for state in ("state", "lastState"))


def _not_injected(case: Case, pool: NodePool, node: Obj, pod: Obj) -> tuple[str, tuple[str, ...]]:
    wanted = case.expected.environment.stack.runtime_class.name
    there = text(pod, "spec", "runtimeClassName")
    if there != wanted:
        cause = f"the pod has the RuntimeClass {there or 'of nobody'}, not {wanted}, so libnvidia-ml is not injected"
        return cause, (case.reapply(),)
    return _no_driver(case, pool, node, pod)


def _no_driver(case: Case, pool: NodePool, node: Obj, pod: Obj) -> tuple[str, tuple[str, ...]]:
    image = case.expected.image(pool)
    if image is None:
        return (
            "the driver's kernel modules are not loaded on the node, or the container toolkit is not set up",
            (f"nvidia-smi; lsmod | grep nvidia  # on {name(node)}", case.here("logs", name(pod), "--tail=50")),
        )
    there = booted(node)
    told = f"; the node says {one_line(there)}" if there else ""
    cause = (
        "the kernel modules are not loaded, usually because the node booted the image without the driver. "
        f"The schematic must be {image.id}{told}; {image.base_id} is the image without it"
    )
    show, upgrade = case.upgrade(pool, name(node))
    dmesg = f"talosctl dmesg --nodes {case.address(pool, name(node))} | grep -i nvidia"
    if there == image.id:
        return (
            "the image is the right one, so its modules are not loaded: machine configuration lacks them",
            (dmesg, f"cat out/talos/{case.expected.environment.name}/{pool.name}/README.md"),
        )
    return cause, (upgrade, show, dmesg)


def _strategy(case: Case, pool: NodePool, node: Obj, pod: Obj) -> tuple[str, tuple[str, ...]]:
    return (
        "no NVML could be loaded, so the plugin does not know what kind of node this is; releases up to 0.18 say so",
        _not_injected(case, pool, node, pod)[1],
    )


def _config(case: Case, pool: NodePool, node: Obj, pod: Obj) -> tuple[str, tuple[str, ...]]:  # noqa: ARG001
    return "the plugin cannot read its configuration", (f"gpuc check && {case.reapply()}",)


_REGISTERED = "Registered device plugin for"
_SIGNS = (
    _Sign(("ERROR_LIBRARY_NOT_FOUND", "libnvidia-ml.so.1: cannot open"), _not_injected),
    _Sign(("Failed to initialize NVML", "failed to initialize NVML", "Driver Not Loaded"), _no_driver),
    _Sign(("Incompatible strategy detected",), _strategy),
    _Sign(("unable to load config", "unable to parse config", "error parsing config"), _config),
)
"""The first that the log has is taken. Source: k8s-device-plugin, cmd/nvidia-device-plugin and internal/rm."""

LINK = _PluginPod()
