"""What an environment compiles to, as rules on finished objects see it: every field knows the user's line behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compiler.check.scene import Located, NodeFacts, Scene
from compiler.kustomize.patches import UserPatch
from compiler.kustomize.tree import Tree
from compiler.model.advertised import advertised
from compiler.model.environment import Environment
from compiler.model.stack import TalosPlatform
from compiler.objects import Obj
from compiler.scenes.locate import Locators

__all__ = ["compiled_scene", "pool_facts"]

_NFD_CRDS = ("nodefeaturegroups", "nodefeaturerules", "nodefeatures")


def compiled_scene(
    environment: Environment, tree: Tree, built: Mapping[str, Sequence[Obj]], patches: Sequence[UserPatch]
) -> Scene:
    """Return the scene of an environment.

    `built` holds what kustomize built of each root of the tree, with the user's `patches` in place.
    """
    objects: list[Located] = []
    for root, name in (
        ("stack", f"overlays/{environment.name}"),
        ("monitoring", f"overlays/{environment.name}/monitoring"),
    ):
        if name in built:
            own = [patch for patch in patches if patch.root == root]
            locators = Locators(environment, tree.roots[name].expected, own)
            objects += [Located(obj, locators.of(obj), traced=True) for obj in built[name]]
    stack = environment.stack
    nfd = stack.node_feature_discovery
    crds = set()
    if nfd.managed == "external":
        crds |= {f"{name}.nfd.k8s-sigs.io" for name in _NFD_CRDS}
    if stack.monitoring.service_monitor_crd.managed == "external":
        crds.add("servicemonitors.monitoring.coreos.com")
    if stack.monitoring.prometheus_rule_crd.managed == "external":
        crds.add("prometheusrules.monitoring.coreos.com")
    names = set()
    if stack.namespace_settings.managed == "external":
        names.add(("Namespace", stack.namespace_name))
    if stack.runtime_class.managed == "external":
        names.add(("RuntimeClass", stack.runtime_class.name))
    return Scene(
        tuple(objects),
        tuple(pool_facts(environment, index) for index in range(len(environment.overlay.node_pools))),
        frozenset(nfd.labels) if nfd.managed == "external" else frozenset(),
        frozenset(crds),
        frozenset(names),
    )


def pool_facts(environment: Environment, index: int) -> NodeFacts:
    """Return what rules know of an environment's node pool."""
    pool = environment.overlay.node_pools[index]
    platform = pool.platform or environment.stack.platform
    return NodeFacts(
        pool.name,
        tuple(node.name for node in pool.nodes),
        pool.node_selector,
        pool.taints,
        platform.minor if isinstance(platform, TalosPlatform) else None,
        advertised(pool),
        environment.overlay_place(("nodePools", index, "name")),
        pool.gpu.count,
        pool.sharing.strategy,
    )
