"""What to check and what to do, with this environment's names and addresses."""

from __future__ import annotations

from compiler.model.advertised import advertised
from compiler.model.environment import Environment
from compiler.model.overlay import NodePool
from compiler.model.stack import TalosPlatform
from compiler.runbook.graph import slices
from compiler.talos import pool_image


def checks(environment: Environment) -> str:
    """Return the commands that tell whether the chain holds, as Markdown."""
    namespace = environment.stack.namespace_name
    lines = [
        "# all of this page, link by link, with the cause and the next command",
        f"gpuc doctor --overlay {environment.name}",
        "# every GPU node carries the label",
        "kubectl get nodes -l nvidia.com/gpu.present=true",
        "# one pod on each GPU node, all ready",
        f"kubectl -n {namespace} get daemonset",
    ]
    for pool in environment.overlay.node_pools:
        count = advertised(pool)
        if not pool.nodes:
            labels = ",".join(f"{key}={value}" for key, value in sorted(pool.node_selector.items()))
            lines.append(f"# {slices(pool)}")
            lines.append(
                f"kubectl get nodes -l {labels} -o custom-columns='NODE:.metadata.name,HAS:.status.allocatable'"
            )
        for node in pool.nodes:
            for resource, amount in sorted((count or {}).items()):
                escaped = resource.replace(".", "\\.")
                lines.append(f"# {amount}")
                lines.append(f"kubectl get node {node.name} -o jsonpath='{{.status.allocatable.{escaped}}}'")
    return "```\n" + "\n".join(lines) + "\n```"


def troubleshooting(environment: Environment) -> str:
    """Return what to do where the chain is broken, as Markdown."""
    return "\n\n".join(
        [
            _no_gpus(environment),
            *_nvml(environment),
            _pending(environment),
        ]
    )


def _no_gpus(environment: Environment) -> str:
    namespace = environment.stack.namespace_name
    node = _a_node(environment)
    worker = f"kubectl -n {namespace} get pod -l app.kubernetes.io/component=worker -o wide"
    if environment.stack.node_feature_discovery.managed == "external":
        worker = "kubectl get pod -A -l app.kubernetes.io/name=node-feature-discovery -o wide"
    return f"""\
### A node does not advertise GPUs

Walk the chain; the first link that is missing is the cause.

| look at | if it is missing |
|---|---|
| `{worker}`: NFD's worker on {node} | it does not tolerate a taint of the node: `kubectl describe node {node}` against the pool's `taints` |
| `kubectl get nodefeature -A`: an object for {node} | the worker cannot reach the API server: its log |
| `kubectl get node {node} --show-labels`: `nvidia.com/gpu.present=true` | the NodeFeatureRule `nvidia-gpu-present`, or no NVIDIA card on the PCI bus: passthrough to the VM |
| `kubectl -n {namespace} get daemonset`: as many desired as there are nodes | the nodes' names or labels are not what the pool says, or the label above is missing |
| `kubectl -n {namespace} logs -l app.kubernetes.io/component=device-plugin` | the plugin's own words: below |
| `kubectl get runtimeclass {environment.stack.runtime_class.name}` | the RuntimeClass, or the node's container runtime lacks the handler `{environment.stack.runtime_class.handler}` |"""


def _nvml(environment: Environment) -> list[str]:
    """Return one section for the pools on which the same has to be done."""
    pools: dict[str, list[str]] = {}
    for pool in environment.overlay.node_pools:
        pools.setdefault(_without_nvml(environment, pool), []).append(pool.name)
    return [
        f'### The plugin on {", ".join(names)} logs "Failed to initialize NVML"\n\n{text}'
        for text, names in pools.items()
    ]


def _without_nvml(environment: Environment, pool: NodePool) -> str:
    image = pool_image(pool, environment.stack.platform)
    if image is None and isinstance(pool.platform or environment.stack.platform, TalosPlatform):
        address = next((node.address or node.name for node in pool.nodes), "<address of a node>")
        return f"""\
The kernel modules are not loaded, usually because the node booted an image without them. `talosctl get extensions --nodes {address}` lists
what it booted. Give the pool a `talos` block: then this page says which image is the right one, and how to install it."""
    if image is None:
        return f"""\
The driver's kernel modules are not loaded, or the container toolkit did not inject the libraries. On the node: `nvidia-smi`,
`lsmod | grep nvidia`, and the container runtime's configuration of the handler `{environment.stack.runtime_class.handler}`."""
    addresses = [node.address or node.name for node in pool.nodes] or ["<address of a node>"]
    upgrades = "\n".join(f"talosctl upgrade --nodes {address} --image {image.installer}" for address in addresses)
    return f"""\
The kernel modules are not loaded, usually because the node booted an image without them. What it booted:

```
talosctl get extensions --nodes {addresses[0]}
talosctl dmesg --nodes {addresses[0]} | grep -i nvidia
```

The schematic must be `{image.id}`. `{image.base_id}` is the image without the driver: upgrade the node.

```
{upgrades}
```"""


def _pending(environment: Environment) -> str:
    resources = sorted({name for pool in environment.overlay.node_pools for name in (advertised(pool) or {})})
    asked = " or ".join(f"`{name}`" for name in resources) or "the MIG profile"
    return f"""\
### A pod stays Pending

`kubectl describe pod` names the reason. `Insufficient {resources[0] if resources else "nvidia.com/gpu"}`: all slices are
taken; `kubectl get pods -A -o wide --field-selector spec.nodeName={_a_node(environment)}` shows by whom. A taint: the
pod lacks the pool's tolerations. It must ask for {asked}, under `limits`; the Kustomize
Components below `out/components/gpu-workload/{environment.name}/` do all of it."""


def _a_node(environment: Environment) -> str:
    return next((node.name for pool in environment.overlay.node_pools for node in pool.nodes), "<node>")
