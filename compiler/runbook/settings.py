"""The settings that people ask about, each with its value and why it is so."""

from __future__ import annotations

from dataclasses import dataclass

from compiler.model.environment import Environment
from compiler.model.overlay import NodePool, NoSharing, TimeSlicing
from compiler.model.stack import TalosPlatform
from compiler.runbook.graph import taint_text


@dataclass(frozen=True)
class Setting:
    """A setting, its value as people write it, and the reason."""

    name: str
    value: str
    why: str


def settings(environment: Environment) -> list[Setting]:
    """Return the settings of an environment, the stack's first, then those of each pool."""
    found = _stack(environment)
    for pool in environment.overlay.node_pools:
        found += _pool(environment, pool)
    return found


def _stack(environment: Environment) -> list[Setting]:
    stack = environment.stack
    plugin, runtime = stack.device_plugin, stack.runtime_class
    nfd = stack.node_feature_discovery
    talos = any(isinstance(pool.platform or stack.platform, TalosPlatform) for pool in environment.overlay.node_pools)
    found = [
        Setting(
            "namespace", stack.namespace_name, "Pod Security `privileged`: the stack's pods mount paths of the node"
        ),
        Setting(
            "RuntimeClass",
            f"{runtime.name}, handler {runtime.handler}",
            "injects NVML into a container; on Talos the only way, since the libraries sit in a system extension"
            if talos
            else "injects NVML into a container",
        ),
        Setting(
            "deviceDiscoveryStrategy",
            plugin.device_discovery_strategy,
            "`auto` probes paths that Talos does not have"
            if talos and plugin.device_discovery_strategy == "nvml"
            else "how the plugin finds the cards",
        ),
        Setting(
            "deviceListStrategy",
            ", ".join(plugin.device_list_strategy),
            "works on every Talos release; CDI mounts fail up to 1.12"
            if talos and plugin.device_list_strategy == ("envvar",)
            else "how devices are handed to the container runtime",
        ),
        Setting(
            "Node Feature Discovery",
            "external" if nfd.managed == "external" else nfd.version,
            "finds the card by its PCI vendor 10de; a NodeFeatureRule makes `nvidia.com/gpu.present=true` of it",
        ),
        Setting(
            "GPU Feature Discovery",
            "on" if stack.gpu_feature_discovery.enabled else "off",
            "labels the node with product, memory, driver and sharing"
            if stack.gpu_feature_discovery.enabled
            else "nobody labels the node with product, memory, driver and sharing",
        ),
    ]
    if stack.dcgm_exporter and stack.dcgm_exporter.enabled:
        monitor = stack.dcgm_exporter.service_monitor
        scraped = f", ServiceMonitor every {monitor.interval}" if monitor.enabled else ""
        found.append(
            Setting("DCGM exporter", f"on GPU nodes{scraped}", "utilisation, VRAM, temperature and power as metrics")
        )
    return found


def _pool(environment: Environment, pool: NodePool) -> list[Setting]:
    sharing = pool.sharing
    prefix = f"{pool.name}: " if len(environment.overlay.node_pools) > 1 else ""
    found = []
    if isinstance(sharing, NoSharing):
        found.append(
            Setting(
                f"{prefix}sharing", "none", f"one pod a {'card' if pool.mig.strategy == 'none' else 'MIG instance'}"
            )
        )
    else:
        shared = ", ".join(f"{item.replicas} x {item.name}" for item in sharing.by_resource())
        why = (
            "pods take turns on the card; its VRAM is shared, not split: one pod can take all of it"
            if isinstance(sharing, TimeSlicing)
            else "pods run on the card at the same time, each with an equal part of its memory and threads"
        )
        found.append(Setting(f"{prefix}{sharing.strategy}", shared, why))
    if pool.mig.strategy != "none":
        found.append(Setting(f"{prefix}MIG", pool.mig.strategy, "how the plugin names the instances on the card"))
    found += [
        Setting(
            f"{prefix}taint",
            taint_text(taint),
            "keeps other pods off; everything of the stack that must run here tolerates it, NFD's worker too",
        )
        for taint in pool.taints
    ]
    return found
