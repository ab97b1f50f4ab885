"""A Talos machine does not load all of NVIDIA's kernel modules.

What it does: where a configuration lists one of nvidia, nvidia_uvm, nvidia_drm and nvidia_modeset, asks for all four,
in the same file or folder. A hyphen in a name means the same as an underscore.

Why it fails at run time: Talos loads only what is listed. Without nvidia_uvm no CUDA program starts; without
nvidia_modeset or nvidia_drm programs that render find no device. Source: the README of
siderolabs/extensions, nvidia-gpu.

How to mend it: list the missing modules.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.rule import Finding
from compiler.check.talosfile import MODULES, TalosFile, TalosRule, modules
from compiler.diagnostics import Severity


def _check(file: TalosFile) -> Iterator[Finding]:
    listed = [entry for entry in modules(file.pieces) if entry.name in MODULES]
    known = {entry.name for entry in (*listed, *modules(file.beside))}
    missing = [name for name in MODULES if name not in known]
    if listed and missing:
        new = any(piece.new == "KernelModuleConfig" for piece in file.pieces)
        form = "a KernelModuleConfig document" if new else "machine.kernel.modules"
        yield Finding(
            f"of NVIDIA's four kernel modules {' and '.join(missing)} is not listed: Talos loads only what is",
            listed[0].place,
            f"add to {form}: {', '.join(f'{{name: {name}}}' for name in missing)}",
        )


RULE = TalosRule("GPU702", "talos-modules", _check, Severity.WARNING)
