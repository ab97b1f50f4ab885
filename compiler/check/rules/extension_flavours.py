"""A Talos extension of NVIDIA's is listed that gpuc adds itself, in another flavour or a second time.

What it does: looks for driver and container toolkit among a pool's `talos.extensions`.

Why it fails at run time: gpuc adds both from `driver` and `modules`. Modules of one branch and a toolkit of another do
not load each other's libraries: NVML reports a driver and library version mismatch. Source: siderolabs/extensions,
nvidia-gpu: the flavours must match.

How to mend it: delete the extension; set `driver` and `modules`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from compiler.check.platforms import platforms
from compiler.check.rule import Finding, Rule, each_environment
from compiler.model.environment import Environment

_OURS = re.compile(
    r"siderolabs/(nvidia-open-gpu-kernel-modules|nonfree-kmod-nvidia|nvidia-container-toolkit)(-(production|lts))?"
)


def _check(environment: Environment) -> Iterator[Finding]:
    for item in platforms(environment):
        talos = item.pool.talos
        if talos is None:
            continue
        for index, name in enumerate(talos.extensions):
            if not _OURS.fullmatch(name):
                continue
            ours = talos.driver_extensions
            again = name in ours
            yield Finding(
                f"{name} is added by gpuc already"
                if again
                else f"{name} does not go with driver {talos.driver} and {talos.modules} modules, which bring "
                f"{' and '.join(ours)}: the driver's parts would not match",
                item.place("talos", "extensions", index),
                "delete it" if again else "delete it, and set `driver` and `modules`",
            )


RULE = Rule("GPU503", "extension-flavours", each_environment(_check))
