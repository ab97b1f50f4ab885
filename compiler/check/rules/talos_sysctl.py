"""A Talos machine up to 1.12 lacks the kernel parameter that NVIDIA's container toolkit needs.

What it does: where a configuration loads NVIDIA's modules on Talos up to 1.12, asks for net.core.bpf_jit_harden=1.

Why it fails at run time: with Talos' own value, 2, the kernel refuses the toolkit's device filter, and no container
gets a GPU. Since 1.13 the toolkit works by CDI and needs nothing. Source: Talos' documentation of NVIDIA GPUs for 1.12.

How to mend it: set `machine.sysctls: {net.core.bpf_jit_harden: 1}`.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.rule import Finding
from compiler.check.talosfile import MODULES, TalosFile, TalosRule, modules, sysctls
from compiler.diagnostics import Severity

_NEEDLESS_SINCE = (1, 13)
_NAME = "net.core.bpf_jit_harden"


def _check(file: TalosFile) -> Iterator[Finding]:
    if file.version is None or file.version >= _NEEDLESS_SINCE:
        return
    listed = [entry for entry in modules(file.pieces) if entry.name in MODULES]
    if listed and sysctls((*file.pieces, *file.beside)).get(_NAME) != "1":
        yield Finding(
            f"Talos {file.version[0]}.{file.version[1]} needs the kernel parameter {_NAME}=1 for NVIDIA's toolkit, and "
            "nothing here sets it",
            listed[0].place,
            f"add machine.sysctls: {{{_NAME}: 1}}",
        )


RULE = TalosRule("GPU706", "talos-sysctl", _check, Severity.WARNING)
