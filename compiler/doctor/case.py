"""What a link of the chain looks at, and what it answers."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import ClassVar

from compiler.doctor import snapshot as kinds
from compiler.doctor.data import items, labels, name, namespace, one_line, text
from compiler.doctor.expected import Expected
from compiler.doctor.snapshot import Kind, Snapshot
from compiler.model.overlay import NodePool
from compiler.objects import Obj

_INTERNAL = "InternalIP"
_ADDRESS = re.compile(r"[0-9A-Fa-f.:]{2,45}")


@dataclass(frozen=True)
class Finding:
    """What is wrong, what most likely causes it, and the commands that come next."""

    what: str
    cause: str
    commands: tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """What a link answers: it holds where there are no findings. `details` say what was seen."""

    details: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Case:
    """A cluster against what was compiled for it. `kubectl` starts every kubectl command that is shown."""

    expected: Expected
    seen: Snapshot
    kubectl_words: tuple[str, ...] = ("kubectl",)

    @property
    def pools(self) -> tuple[NodePool, ...]:
        """The node pools."""
        return self.expected.environment.overlay.node_pools

    @property
    def namespace(self) -> str:
        """Name of the stack's namespace."""
        return self.expected.namespace

    def kubectl(self, *arguments: str) -> str:
        """Return a kubectl command as a shell reads it; what comes from the cluster is quoted where it has to be."""
        return shlex.join((*self.kubectl_words, *arguments))

    def here(self, *arguments: str) -> str:
        """Return a kubectl command in the stack's namespace."""
        return self.kubectl("-n", self.namespace, *arguments)

    def nodes(self, pool: NodePool) -> list[Obj]:
        """Return the nodes of a pool that the cluster has, by name."""
        if pool.nodes:
            wanted = {node.name for node in pool.nodes}
            found = [node for node in self.seen.all(kinds.NODE) if name(node) in wanted]
        else:
            taken = {node.name for other in self.pools for node in other.nodes}
            found = [
                node
                for node in self.seen.all(kinds.NODE)
                if pool.node_selector.items() <= labels(node).items() and name(node) not in taken
            ]
        return sorted(found, key=name)

    def address(self, pool: NodePool, node: str) -> str:
        """Return how talosctl reaches a node: as the overlay says, else as the node does."""
        for one in pool.nodes:
            if one.name == node and one.address:
                return one.address
        live = self.seen.get(kinds.NODE, node) or {}
        internal = (
            text(one, "address") for one in items(live, "status", "addresses") if text(one, "type") == _INTERNAL
        )
        return next((address for address in internal if _ADDRESS.fullmatch(address)), node)

    def daemon_set(self, wanted: str) -> Obj | None:
        """Return a DaemonSet of the stack."""
        return self.seen.get(kinds.DAEMON_SET, wanted, self.namespace)

    def pods(self, daemon_set: str, node: str | None = None) -> list[Obj]:
        """Return the pods of a DaemonSet of the stack, on one node or on all. One that waits has no node yet."""
        return [
            pod
            for pod in self.seen.all(kinds.POD)
            if namespace(pod) == self.namespace
            and any(
                text(owner, "kind") == "DaemonSet" and text(owner, "name") == daemon_set
                for owner in items(pod, "metadata", "ownerReferences")
            )
            and node in (None, meant_for(pod))
        ]

    def warnings(self, kind: str, wanted: str, where: str) -> list[str]:
        """Return what warning events say about an object, the newest last, each once."""
        about = [
            event
            for event in self.seen.all(kinds.EVENT)
            if text(event, "involvedObject", "kind") == kind
            and text(event, "involvedObject", "name") == wanted
            and text(event, "involvedObject", "namespace") == where
        ]
        about.sort(key=lambda event: text(event, "lastTimestamp") or text(event, "eventTime"))
        return list(dict.fromkeys(one_line(text(event, "message")) for event in about))

    def log(self, pod: Obj) -> str:
        """Return the log of a device plugin's pod, or one that may be its own."""
        return self.seen.logs.get(name(pod)) or self.seen.logs.get("", "")

    def reapply(self, what: str = "stack") -> str:
        """Return the command that brings the compiled objects, through whatever delivers them."""
        delivery = self.expected.environment.stack.delivery
        if flux := delivery.flux:
            kustomization = f"{flux.name_prefix}-{what}"
            return shlex.join(
                [
                    *("flux", *self._flags_of_flux(), "reconcile", "kustomization", kustomization),
                    *("-n", flux.namespace, "--with-source"),
                ]
            )
        if argocd := delivery.argocd:
            return shlex.join(("argocd", "app", "sync", f"{argocd.namespace}/{argocd.name_prefix}-{what}"))
        path = self.expected.overlay_path("" if what == "stack" else what)
        return self.kubectl("apply", "--server-side", "-k", path)

    def _flags_of_flux(self) -> tuple[str, ...]:
        """Flux takes the same options as kubectl for context and kubeconfig."""
        return self.kubectl_words[1:]

    def upgrade(self, pool: NodePool, node: str) -> tuple[str, ...]:
        """Return the commands that show which Talos image a node booted, and put the right one on it."""
        image = self.expected.image(pool)
        address = self.address(pool, node)
        if image is None:
            return ()
        return (
            shlex.join(("talosctl", "get", "extensions", "--nodes", address)),
            shlex.join(("talosctl", "upgrade", "--nodes", address, "--image", image.installer)),
        )


def meant_for(pod: Obj) -> str:
    """Return the node that a pod is on, or that the DaemonSet controller made it for.

    Source: k8s.io/kubernetes pkg/controller/daemon/util, ReplaceDaemonSetPodNodeNameNodeAffinity.
    """
    if found := text(pod, "spec", "nodeName"):
        return found
    route = ("spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
    for term in items(pod, *route):
        for one in items(term, "matchFields"):
            values = one.get("values")
            if text(one, "key") == "metadata.name" and isinstance(values, list) and len(values) == 1:
                return str(values[0])
    return ""


class Link:
    """One link of the chain. A module of `compiler.doctor.links` has one, under `LINK`.

    Attributes:
        id: stable name, for scripts.
        title: for people.
        needs: kinds without which it cannot tell, whatever the stack.
        after: links that have to hold before this one is worth a look.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    needs: ClassVar[tuple[Kind, ...]] = ()
    after: ClassVar[tuple[str, ...]] = ()

    def applies(self, case: Case) -> bool:  # noqa: ARG002 -- most links are in every stack
        """Whether this stack has the link."""
        return True

    def wanted(self, case: Case) -> tuple[Kind, ...]:  # noqa: ARG002 -- the same for every stack, as a rule
        """Return the kinds without which the link cannot tell."""
        return self.needs

    def check(self, case: Case) -> Verdict:
        """Look at the link."""
        raise NotImplementedError
