"""What a component is: a folder of `out/base/` and the objects in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from compiler.model.overlay import NodePool, Overlay
from compiler.model.stack import GPUStack, Platform
from compiler.objects import Obj

Root = Literal["stack", "monitoring"]


@dataclass(frozen=True)
class ConfigFiles:
    """A ConfigMap that Kustomize generates from files, so that an edit changes its name and rolls the pods.

    `name` is the stable name that pods refer to; `files` maps a key of the ConfigMap to its text.
    """

    name: str
    files: dict[str, str]


@dataclass(frozen=True)
class Context:
    """What a component may depend on: the stack, and the overlay's pools once there is an overlay.

    Without an overlay a component makes its base: what is the same on every cluster.
    """

    stack: GPUStack
    overlay: Overlay | None = None

    @property
    def namespace(self) -> str:
        """Name of the stack's namespace."""
        return self.stack.namespace_name

    @property
    def pools(self) -> tuple[NodePool, ...]:
        """The overlay's node pools; none in a base."""
        return self.overlay.node_pools if self.overlay else ()

    def platform(self, pool: NodePool | None) -> Platform:
        """Return the operating system of a pool's nodes."""
        return (pool and pool.platform) or self.stack.platform


class Component:
    """One component of the stack. A module of this package defines `COMPONENT`; that is all it takes to add one.

    Objects come in the order in which people read them: apiVersion, kind, metadata, then the rest; they carry their
    namespace. `shared` objects exist once in a cluster. `pooled` objects exist once a pool; they leave the pool's name
    suffix, its instance label and the hash of generated ConfigMaps to Kustomize.
    """

    name: ClassVar[str]
    root: ClassVar[Root] = "stack"

    def enabled(self, stack: GPUStack) -> bool:  # noqa: ARG002 -- most components are always there
        """Whether this stack has the component."""
        return True

    def shared(self, context: Context) -> list[Obj]:  # noqa: ARG002 -- empty unless a component says otherwise
        """Return the objects that exist once."""
        return []

    def shared_config(self, context: Context) -> list[ConfigFiles]:  # noqa: ARG002
        """Return the generated ConfigMaps that exist once."""
        return []

    def runs_on(self, pool: NodePool) -> bool:  # noqa: ARG002
        """Whether a pool gets this component's pooled objects."""
        return True

    def pooled(self, context: Context, pool: NodePool | None) -> list[Obj]:  # noqa: ARG002
        """Return the objects of one pool, or with None what all pools have in common."""
        return []

    def pool_config(self, context: Context, pool: NodePool) -> list[ConfigFiles]:  # noqa: ARG002
        """Return the generated ConfigMaps of one pool."""
        return []
