"""The NVIDIA extensions of a Talos image do not fit together.

What it does: in schematics and `machine.install.extensions`, asks for one kernel module extension and one container
toolkit of the same flavour, production or lts.

Why it fails at run time: the toolkit's libraries and the kernel modules are of one driver release or they refuse each
other ("driver/library version mismatch"); without the toolkit there is no `nvidia` handler, without the modules no
device. Source: siderolabs/extensions, nvidia-gpu.

How to mend it: list the pair that the message names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from compiler.check.rule import Finding
from compiler.check.talosfile import Entry, Schematic, TalosFile, TalosRule
from compiler.diagnostics import Related

_MODULES = re.compile(r"(nvidia-open-gpu-kernel-modules|nonfree-kmod-nvidia)-(production|lts)")
_TOOLKIT = re.compile(r"(nvidia-container-toolkit)-(production|lts)")


def _check(file: TalosFile) -> Iterator[Finding]:
    for schematic in file.schematics:
        yield from _schematic(schematic)


def _schematic(schematic: Schematic) -> Iterator[Finding]:
    modules = list(_matching(schematic, _MODULES))
    toolkits = list(_matching(schematic, _TOOLKIT))
    if len(modules) > 1:
        yield Finding(
            f"the image has two sets of NVIDIA's kernel modules, of which one can be loaded: {modules[0][0].name} and "
            f"{modules[1][0].name}",
            modules[1][0].place,
            "delete one of the two",
            (Related("the other one", modules[0][0].place),),
        )
    elif modules and toolkits:
        (module, flavour), (toolkit, other) = modules[0], toolkits[0]
        if flavour != other:
            yield Finding(
                f"{toolkit.name} and {module.name} are of different driver releases: NVML fails to load",
                toolkit.place,
                f"use siderolabs/nvidia-container-toolkit-{flavour}",
                (Related("the kernel modules", module.place),),
            )
    elif modules:
        entry, flavour = modules[0]
        yield Finding(
            f"the image has {entry.name} and no container toolkit: containerd has no handler nvidia",
            entry.place,
            f"add siderolabs/nvidia-container-toolkit-{flavour}",
        )
    elif toolkits:
        entry, flavour = toolkits[0]
        yield Finding(
            f"the image has {entry.name} and no kernel modules of NVIDIA's: there is no device",
            entry.place,
            f"add siderolabs/nvidia-open-gpu-kernel-modules-{flavour}, or for cards before Turing "
            f"siderolabs/nonfree-kmod-nvidia-{flavour}",
        )


def _matching(schematic: Schematic, pattern: re.Pattern[str]) -> Iterator[tuple[Entry, str]]:
    for entry in schematic.extensions:
        match = pattern.search(entry.name)
        if match:
            yield entry, match[2]


RULE = TalosRule("GPU705", "talos-extensions", _check)
