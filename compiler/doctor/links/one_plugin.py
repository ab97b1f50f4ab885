"""There is one device plugin: two register the same resource at the same kubelet, and the last one wins."""

from __future__ import annotations

from compiler.components.device_plugin import NAME
from compiler.doctor import snapshot as kinds
from compiler.doctor.case import Case, Finding, Link, Verdict
from compiler.doctor.data import items, name, namespace, text
from compiler.objects import Obj

_IMAGE = "k8s-device-plugin"
_OTHER_PROGRAMS = ("gpu-feature-discovery", "mps-control-daemon", "config-manager")


class _OnePlugin(Link):
    id = "one-plugin"
    title = "no second device plugin"
    needs = (kinds.DAEMON_SET,)

    def check(self, case: Case) -> Verdict:
        """Look for DaemonSets of the plugin's image beside the stack's own."""
        own = {f"{NAME}-{pool.name}" for pool in case.pools}
        findings = [
            _finding(case, one)
            for one in case.seen.all(kinds.DAEMON_SET)
            if _is_plugin(one) and not (namespace(one) == case.namespace and name(one) in own)
        ]
        return Verdict(("only the stack's",), tuple(findings))


def _is_plugin(workload: Obj) -> bool:
    """Say whether a DaemonSet runs NVIDIA's plugin; GFD and the MPS daemon are in the same image."""
    return any(
        _IMAGE in text(one, "image")
        and not any(program in f"{one.get('command')} {one.get('args')}" for program in _OTHER_PROGRAMS)
        for one in items(workload, "spec", "template", "spec", "containers")
    )


def _finding(case: Case, other: Obj) -> Finding:
    return Finding(
        f"there is a second device plugin: DaemonSet {namespace(other)}/{name(other)}",
        "both register nvidia.com/gpu at the same kubelet, and the one that registers last decides how many there are",
        (
            case.kubectl("-n", namespace(other), "get", "daemonset", name(other), "--show-labels"),
            case.kubectl("-n", namespace(other), "delete", "daemonset", name(other)),
        ),
    )


LINK = _OnePlugin()
