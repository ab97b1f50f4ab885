"""A Talos node is to give itself a label that it may not set.

What it does: checks `machine.nodeLabels` and the labels of KubeNodeConfig documents against what the NodeRestriction
admission plugin lets a kubelet set.

Why it fails at run time: the API server refuses labels under kubernetes.io and k8s.io but for a few: the node gets none
of its labels, and whatever selects one stays Pending. Such a label takes `kubectl label`. Source:
k8s.io/kubelet/pkg/apis/well_known_labels.go; Talos' documentation of node labels.

How to mend it: use a label of your own, or one under node.kubernetes.io/.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.rule import Finding
from compiler.check.talosfile import TalosFile, TalosRule, labels

_DOMAINS = ("kubernetes.io", "k8s.io")
_OF_THE_KUBELET = ("node.kubernetes.io", "kubelet.kubernetes.io")
_ALLOWED = frozenset(
    {
        "kubernetes.io/hostname",
        "kubernetes.io/os",
        "kubernetes.io/arch",
        "beta.kubernetes.io/os",
        "beta.kubernetes.io/arch",
        "beta.kubernetes.io/instance-type",
        "topology.kubernetes.io/region",
        "topology.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone",
    }
)


def may_set(label: str) -> bool:
    """Return whether a kubelet may give its own node a label."""
    domain, slash, _ = label.partition("/")
    if not slash or not _within(domain, _DOMAINS):
        return True
    return label in _ALLOWED or _within(domain, _OF_THE_KUBELET)


def _within(domain: str, domains: tuple[str, ...]) -> bool:
    return any(domain == known or domain.endswith(f".{known}") for known in domains)


def _check(file: TalosFile) -> Iterator[Finding]:
    for piece in file.pieces:
        for entry in labels(piece):
            if not may_set(entry.name):
                name = entry.name.rpartition("/")[2]
                yield Finding(
                    f"the kubelet may not set the label {entry.name} on its own node: the API server refuses it, "
                    "and the node has none of its labels",
                    entry.place,
                    f'use node.kubernetes.io/{name}: "{entry.value}", or a label of your own such as '
                    f"gpu.example.com/{name}",
                )


RULE = TalosRule("GPU701", "talos-labels", _check)
