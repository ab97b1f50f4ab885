"""What the compiled stack expects of a cluster."""

from __future__ import annotations

from dataclasses import dataclass

from compiler.doctor.data import items, name, text
from compiler.kustomize.tree import Tree
from compiler.model.environment import Environment
from compiler.model.kube import Taint
from compiler.model.overlay import NodePool
from compiler.objects import Obj
from compiler.talos import Image, pool_image


@dataclass(frozen=True)
class Expected:
    """An environment, and the objects that its roots build to, without the user's own patches."""

    environment: Environment
    stack: tuple[Obj, ...]
    monitoring: tuple[Obj, ...]
    flux: tuple[Obj, ...]
    argocd: tuple[Obj, ...]

    @property
    def namespace(self) -> str:
        """Name of the stack's namespace."""
        return self.environment.stack.namespace_name

    def find(self, kind: str, wanted: str) -> Obj | None:
        """Return an object of stack or monitoring by kind and name."""
        both = (*self.stack, *self.monitoring)
        return next((obj for obj in both if obj["kind"] == kind and name(obj) == wanted), None)

    def image(self, pool: NodePool) -> Image | None:
        """Return the pool's Talos image, where the overlay says which."""
        return pool_image(pool, self.environment.stack.platform)

    def overlay_path(self, what: str = "") -> str:
        """Return the folder of the stack's root, or of `monitoring`, as a delivery tool finds it."""
        return f"out/overlays/{self.environment.name}" + (f"/{what}" if what else "")


def expected(environment: Environment, tree: Tree) -> Expected:
    """Return what an environment's compiled tree expects."""

    def objects(folder: str) -> tuple[Obj, ...]:
        return tree.roots[folder].expected if folder in tree.roots else ()

    overlay = f"overlays/{environment.name}"
    return Expected(
        environment,
        objects(overlay),
        objects(f"{overlay}/monitoring"),
        objects(f"flux/{environment.name}"),
        objects(f"argocd/{environment.name}"),
    )


def mounted_config(daemon_set: Obj, volume: str) -> str:
    """Return the name of the ConfigMap in a workload's volume, or nothing."""
    return config_of(items(daemon_set, "spec", "template", "spec", "volumes"), volume)


def config_of(volumes: list[Obj], volume: str) -> str:
    """Return the name of the ConfigMap in one of some volumes, or nothing."""
    return next((text(one, "configMap", "name") for one in volumes if text(one, "name") == volume), "")


def tolerates(tolerations: list[Obj], taint: Taint | Obj) -> bool:
    """Say whether one of some tolerations, as pods have them, covers a taint for good."""
    if isinstance(taint, Taint):
        key, value, effect = taint.key, taint.value, str(taint.effect)
    else:
        key, value, effect = text(taint, "key"), text(taint, "value"), text(taint, "effect")
    return any(
        one.get("tolerationSeconds") is None
        and text(one, "key") in ("", key)
        and (text(one, "operator") == "Exists" or (text(one, "key") == key and text(one, "value") == value))
        and text(one, "effect") in ("", effect)
        for one in tolerations
    )
