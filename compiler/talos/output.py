"""`out/talos/<overlay>/<pool>/`: schematic, machine-configuration patch, and what to type for each node."""

from __future__ import annotations

from compiler.check.rules.talos_labels import may_set
from compiler.kustomize.tree import HEADER, Tree
from compiler.model.environment import Environment
from compiler.model.overlay import NodePool
from compiler.model.stack import TalosPlatform
from compiler.talos.image import Image, pool_image
from compiler.talos.machine import DOCUMENTS_SINCE, machine_patch
from compiler.yaml.emit import emit


def add(tree: Tree, environment: Environment) -> None:
    """Add the files of every pool that says which Talos image its nodes run."""
    for pool in environment.overlay.node_pools:
        image = pool_image(pool, environment.stack.platform)
        platform = pool.platform or environment.stack.platform
        if image is None or not isinstance(platform, TalosPlatform):
            continue
        folder = f"talos/{environment.name}/{pool.name}"
        tree.add(f"{folder}/schematic.yaml", image.text, "data")
        ids = {"schematic": image.id, "schematicWithoutDriver": image.base_id, "installer": image.installer}
        tree.add(f"{folder}/image.yaml", HEADER + emit(ids), "data")
        tree.add(f"{folder}/machine-config.patch.yaml", HEADER + machine_patch(pool, platform.minor), "data")
        tree.add(f"{folder}/README.md", _page(pool, image, platform), "data")


def _page(pool: NodePool, image: Image, platform: TalosPlatform) -> str:
    addresses = [node.address or node.name for node in pool.nodes] or ["<address of a node>"]
    upgrade = "\n".join(f"talosctl upgrade --nodes {address} --image {image.installer}" for address in addresses)
    patch = "\n".join(
        f"talosctl patch machineconfig --nodes {address} --patch @machine-config.patch.yaml" for address in addresses
    )
    return f"""\
# Talos {platform.version} on the pool {pool.name}

<!-- Compiled by gpuc. -->

| | |
|---|---|
| schematic | `{image.id}` |
| the same without driver | `{image.base_id}` |
| installer | `{image.installer}` |

The schematic's ID is the SHA-256 of `schematic.yaml`. The image factory knows a schematic once somebody has posted it:

```
curl -X POST --data-binary @schematic.yaml https://factory.talos.dev/schematics
```

Machine configuration first, then the image, node by node; an upgrade reboots the node:

```
{patch}
{upgrade}
```

`talosctl get extensions --nodes {addresses[0]}` lists the schematic that a node booted. If it is the one without the
driver, the device plugin logs "Failed to initialize NVML": upgrade the node.
{_documents(platform)}{_registered(pool)}"""


def _documents(platform: TalosPlatform) -> str:
    """Say what keeps 1.14 and later from taking the patch on a node whose configuration is older."""
    if platform.minor < DOCUMENTS_SINCE:
        return ""
    return """
Where the node's configuration still has `machine.nodeLabels` or `machine.nodeTaints`, Talos refuses a KubeNodeConfig
beside them: move them into it first (`talosctl edit machineconfig`).
"""


def _registered(pool: NodePool) -> str:
    """Say what cannot be changed by machine configuration once a node has registered."""
    names = [node.name for node in pool.nodes] or ["<node>"]
    taints = [f"{taint.key}={taint.value}:{taint.effect}".replace("=:", ":") for taint in pool.taints]
    lines = [f"kubectl taint node {name} {taint}" for name in names for taint in taints]
    restricted = {key: value for key, value in sorted(pool.node_selector.items()) if not may_set(key)}
    lines += [f"kubectl label node {name} {key}={value}" for name in names for key, value in restricted.items()]
    if not lines:
        return ""
    commands = "\n".join(lines)
    return f"""
A node keeps the taints with which it registered, and may not give itself restricted labels (NodeRestriction). On a node
that is in the cluster already:

```
{commands}
```
"""
