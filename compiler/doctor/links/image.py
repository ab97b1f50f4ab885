"""The node runs the image with the driver, and its container runtime has the handler, as far as the node tells.

Talos publishes its extensions as labels and annotations extensions.talos.dev/NAME, the schematic's ID among them; it is
too long for a label. Source: Talos 1.8, internal/app/machined/pkg/controllers/k8s. A kubelet lists the handlers in
status.runtimeHandlers from Kubernetes 1.30 on, where the container runtime tells them.
"""

from __future__ import annotations

from compiler.doctor import snapshot as kinds
from compiler.doctor.case import Case, Finding, Link, Verdict
from compiler.doctor.data import items, labels, mapping, name, one_line, text
from compiler.model.overlay import NodePool
from compiler.objects import Obj

SCHEMATIC = "extensions.talos.dev/schematic"


class _Image(Link):
    id = "image"
    title = "driver and handler"
    needs = (kinds.NODE,)
    after = ("node",)

    def check(self, case: Case) -> Verdict:
        """Compare the schematic with the compiled one, and look for the handler."""
        details, findings = [], []
        for pool in case.pools:
            for node in case.nodes(pool):
                found = _schematic(case, pool, node) or _handler(case, pool, node)
                if isinstance(found, Finding):
                    findings.append(found)
                else:
                    details.append(f"{name(node)}: {_told(case, node)}")
        return Verdict(tuple(details), tuple(findings))


def booted(node: Obj) -> str:
    """Return the ID of the schematic that a node says it booted, or nothing."""
    return text(labels(node), SCHEMATIC) or text(mapping(node, "metadata", "annotations"), SCHEMATIC)


def _told(case: Case, node: Obj) -> str:
    told = ([f"schematic {booted(node)[:12]}"] if booted(node) else []) + (
        [f"handler {case.expected.environment.stack.runtime_class.handler}"] if _handlers(node) else []
    )
    return ", ".join(told) or "the node does not tell"


def _handlers(node: Obj) -> set[str]:
    return {text(one, "name") for one in items(node, "status", "runtimeHandlers")}


def _schematic(case: Case, pool: NodePool, node: Obj) -> Finding | None:
    image, there = case.expected.image(pool), booted(node)
    if image is None or not there or there == image.id:
        return None
    which = (
        "that of the same image without the driver: no NVIDIA kernel modules, no container toolkit"
        if there == image.base_id
        else "another image's than the overlay's `talos:` block describes"
    )
    return Finding(
        f"{name(node)} booted schematic {one_line(there)}, not {image.id}",
        f"it is {which}",
        case.upgrade(pool, name(node)),
    )


def _handler(case: Case, pool: NodePool, node: Obj) -> Finding | None:
    wanted, there = case.expected.environment.stack.runtime_class.handler, _handlers(node)
    if not there or wanted in there:
        return None
    commands = case.upgrade(pool, name(node))
    cause = (
        "the container toolkit's extension is not in the image that it booted"
        if commands
        else "NVIDIA's container toolkit is not installed there, or containerd was not restarted since"
    )
    return Finding(
        f"the container runtime of {name(node)} has no handler {wanted}",
        cause,
        commands or (f"nvidia-ctk runtime configure --runtime=containerd  # on {name(node)}, then restart containerd",),
    )


LINK = _Image()
