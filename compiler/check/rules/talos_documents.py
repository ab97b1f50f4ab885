"""A Talos document is of a kind that the release does not know.

What it does: refuses KernelModuleConfig, SysctlConfig and KubeNodeConfig documents for Talos before 1.14.

Why it fails at run time: `talosctl apply-config` and the machine refuse the whole configuration ("not registered").
Source: Talos' release notes for 1.14.

How to mend it: write machine.kernel, machine.sysctls, machine.nodeLabels and machine.nodeTaints, or upgrade first.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.rule import Finding
from compiler.check.talosfile import NEW_KINDS, TalosFile, TalosRule

_SINCE = (1, 14)
_OLD = {
    "KernelModuleConfig": "machine.kernel.modules",
    "SysctlConfig": "machine.sysctls",
    "KubeNodeConfig": "machine.nodeLabels and machine.nodeTaints",
}


def _check(file: TalosFile) -> Iterator[Finding]:
    if file.version is None or file.version >= _SINCE:
        return
    for piece in file.pieces:
        if piece.new in NEW_KINDS:
            yield Finding(
                f"Talos {file.version[0]}.{file.version[1]} does not know {piece.new} documents and refuses the whole "
                "configuration",
                piece.place(("kind",)),
                f"write {_OLD[piece.new]}, or upgrade to 1.14 first",
            )


RULE = TalosRule("GPU707", "talos-documents", _check)
