"""A Talos machine names its taints in two places that disagree.

What it does: compares the kubelet's `registerWithTaints` with `nodeTaints`.

Why it fails at run time: a node registers with what the kubelet is told, and may not change its own taints afterwards
(NodeRestriction), so a taint that only `nodeTaints` has never comes: other pods take the GPU node. Source: Talos'
documentation of node taints.

How to mend it: name the taints in one place, from the node's first start.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.rule import Finding
from compiler.check.talosfile import TalosFile, TalosRule, registered_taints, spelled_taint, taints
from compiler.diagnostics import Related, Severity


def _check(file: TalosFile) -> Iterator[Finding]:
    registered = {spelled_taint(entry): entry for piece in file.pieces for entry in registered_taints(piece)}
    declared = {spelled_taint(entry): entry for piece in file.pieces for entry in taints(piece)}
    if not registered or not declared or set(registered) == set(declared):
        return
    first = next(iter(registered.values()))
    for taint in sorted(set(declared) - set(registered)):
        yield Finding(
            f"the kubelet registers without the taint {taint}, and a node may not taint itself later",
            declared[taint].place,
            "name all taints in one of the two places",
            (Related("the kubelet registers with these", first.place),),
        )


RULE = TalosRule("GPU704", "talos-taints", _check, Severity.WARNING)
