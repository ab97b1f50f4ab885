"""A discovery or list strategy that cannot work on this Talos release.

What it does: on Talos, asks for deviceDiscoveryStrategy nvml, and refuses the cdi-* list strategies
before 1.13.

Why it fails at run time: `auto` probes paths that Talos does not have and finds no driver. Up to Talos 1.12 the driver
sits in a squashfs, where the host paths that CDI mounts do not exist.

How to mend it: deviceDiscoveryStrategy nvml, deviceListStrategy [envvar].
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.rule import Finding, Rule, each_environment
from compiler.model.environment import Environment
from compiler.model.stack import TalosPlatform

_NATIVE_CDI = (1, 13)


def _check(environment: Environment) -> Iterator[Finding]:
    plugin = environment.stack.device_plugin
    platforms = [pool.platform or environment.stack.platform for pool in environment.overlay.node_pools]
    talos = [platform for platform in platforms if isinstance(platform, TalosPlatform)]
    if talos and plugin.device_discovery_strategy != "nvml":
        yield Finding(
            f"deviceDiscoveryStrategy {plugin.device_discovery_strategy} finds no driver on Talos: it looks where "
            "Talos has no files",
            environment.stack_place(
                ("devicePlugin", "deviceDiscoveryStrategy"),
                key="device_discovery_strategy" not in plugin.model_fields_set,
            ),
            "set `deviceDiscoveryStrategy: nvml`",
        )
    old = [platform for platform in talos if platform.minor < _NATIVE_CDI]
    for index, strategy in enumerate(plugin.device_list_strategy):
        if old and strategy.startswith("cdi-"):
            yield Finding(
                f"deviceListStrategy {strategy} fails on Talos {old[0].version}: CDI's mounts need 1.13 or later",
                environment.stack_place(("devicePlugin", "deviceListStrategy", index)),
                "use `deviceListStrategy: [envvar]`, or upgrade Talos",
            )


RULE = Rule("GPU108", "talos-strategies", each_environment(_check))
