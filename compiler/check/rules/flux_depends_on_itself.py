"""A Flux Kustomization waits for itself, or for one that waits for it.

What it does: compares `dependsOn` and `monitoringDependsOn` with the Kustomizations that gpuc writes.

Why it fails at run time: Flux refuses a Kustomization that depends on itself, and two that wait for each other are
never reconciled; neither is an error when they are applied. Source: fluxcd/kustomize-controller, checkDependencies.

How to mend it: name Kustomizations of other owners only; gpuc orders its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.rule import Finding, Rule
from compiler.check.stacks import StackView, each_stack
from compiler.diagnostics import Severity

_WAITS = {
    "dependsOn": {
        "stack": "the stack would wait for itself",
        "monitoring": "monitoring waits for the stack, so neither would ever be applied",
        "gate": "the gate waits for the stack, so neither would ever be applied",
    },
    "monitoringDependsOn": {
        "monitoring": "monitoring would wait for itself",
        "gate": "when GPUs are missing, the monitoring that should say so is missing too",
    },
}


def _check(view: StackView) -> Iterator[Finding]:
    flux = view.stack.delivery.flux
    if flux is None:
        return
    for key, items in (("dependsOn", flux.depends_on), ("monitoringDependsOn", flux.monitoring_depends_on)):
        for index, item in enumerate(items):
            if item.namespace not in (None, flux.namespace):
                continue
            for what, consequence in _WAITS[key].items():
                if item.name == f"{flux.name_prefix}-{what}":
                    weak = key == "monitoringDependsOn" and what == "gate"
                    yield Finding(
                        f"`{key}` names {item.name}, which gpuc writes itself: {consequence}",
                        view.place(("delivery", "flux", key, index, "name")),
                        "delete it: gpuc orders its own Kustomizations",
                        severity=Severity.WARNING if weak else None,
                    )


RULE = Rule("GPU116", "flux-depends-on-itself", each_stack(_check))
