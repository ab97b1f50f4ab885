"""NFD's worker has reported an NVIDIA card on the PCI bus of every node."""

from __future__ import annotations

from compiler.doctor import snapshot as kinds
from compiler.doctor.case import Case, Finding, Link, Verdict
from compiler.doctor.data import items, labels, name, text
from compiler.doctor.links.nfd import WORKER
from compiler.model.overlay import NodePool
from compiler.objects import Obj

NODE_NAME = "nfd.node.kubernetes.io/node-name"
_DISPLAY = ("0300", "0302")


class _PciDevice(Link):
    id = "pci-device"
    title = "card on the PCI bus"
    needs = (kinds.NODE_FEATURE,)
    after = ("nfd", "taints")

    def applies(self, case: Case) -> bool:
        """Whether gpuc brings NFD: another owner's may report elsewhere."""
        return case.expected.environment.stack.node_feature_discovery.managed == "gpuc"

    def check(self, case: Case) -> Verdict:
        """Look into the NodeFeature objects of each node."""
        details, findings = [], []
        for pool in case.pools:
            for node in case.nodes(pool):
                reported = [
                    one for one in case.seen.all(kinds.NODE_FEATURE) if text(labels(one), NODE_NAME) == name(node)
                ]
                cards = sum(len(_cards(one)) for one in reported)
                if cards:
                    details.append(f"{name(node)}: {cards}")
                else:
                    findings.append(_none(case, pool, name(node), reported))
        return Verdict(tuple(details), tuple(findings))


def _cards(feature: Obj) -> list[Obj]:
    devices = items(feature, "spec", "features", "instances", "pci.device", "elements")
    return [
        one
        for one in devices
        if text(one, "attributes", "vendor") == "10de" and text(one, "attributes", "class") in _DISPLAY
    ]


def _none(case: Case, pool: NodePool, node: str, reported: list[Obj]) -> Finding:
    log = case.here("logs", "-l", "app.kubernetes.io/component=worker", "--prefix", "--tail=50")
    if not reported:
        what = f"there is no NodeFeature object for {node}"
        cause = f"{WORKER} there cannot reach the API server, or has not looked yet"
        return Finding(what, cause, (log,))
    look = (
        f"talosctl get pcidevices --nodes {case.address(pool, node)}"
        if case.expected.image(pool)
        else (f"lspci -d 10de:  # on {node}")
    )
    return Finding(
        f"NFD's worker finds no NVIDIA card on {node}",
        "the card is not on the PCI bus: not passed through to the VM, not seated, or switched off",
        (look, log),
    )


LINK = _PciDevice()
