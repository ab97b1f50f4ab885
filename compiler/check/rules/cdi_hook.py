"""The CDI hook is not where the configuration says.

What it does: with a cdi-* list strategy, compares `devicePlugin.cdi.hookPath` with where Talos has the hook.

Why it fails at run time: since Talos 1.13 the hook is /usr/local/bin/nvidia-cdi-hook. With another path the CDI
specification names a program that does not exist, and no GPU container starts. Source: siderolabs/talos#13021.

How to mend it: leave `hookPath` out: gpuc knows the path on Talos.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.platforms import platforms
from compiler.check.rule import Finding, Rule, each_environment
from compiler.diagnostics import Related
from compiler.model.environment import Environment

_HOOK = "/usr/local/bin/nvidia-cdi-hook"
_NATIVE_CDI = (1, 13)


def _check(environment: Environment) -> Iterator[Finding]:
    plugin = environment.stack.device_plugin
    path = plugin.cdi.hook_path
    if path in (None, _HOOK) or not any(strategy.startswith("cdi-") for strategy in plugin.device_list_strategy):
        return
    for item in platforms(environment):
        if item.talos is not None and item.talos.minor >= _NATIVE_CDI:
            yield Finding(
                f"Talos {item.talos.version} has the CDI hook at {_HOOK}, not at {path}: no GPU container would start",
                environment.stack_place(("devicePlugin", "cdi", "hookPath")),
                "delete `hookPath`: gpuc knows the path on Talos",
                (Related("the platform", item.platform_place()),),
            )
            return


RULE = Rule("GPU504", "cdi-hook", each_environment(_check))
