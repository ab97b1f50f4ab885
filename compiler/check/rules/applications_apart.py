"""The Argo CD Applications of two environments have the same name.

What it does: compares the Applications of environments that deploy to different clusters from Argo CD.

Why it matters: one Argo CD that deploys to several clusters holds all their Applications in one namespace. Two of one
name are one object: the environment that is applied last takes the other's cluster its stack. Where each cluster has an
Argo CD of its own, which deploys to the cluster that it runs in, names may be the same.

How to mend it: give the environment its own `overrides: {delivery: {argocd: {namePrefix: gpu-<name>}}}`.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.rule import Finding, Rule
from compiler.diagnostics import Related, Severity
from compiler.model.environment import Environment, Project


def _check(project: Project) -> Iterator[Finding]:
    first: dict[tuple[str, str], Environment] = {}
    for environment in project.environments:
        argocd = environment.stack.delivery.argocd
        if argocd is None:
            continue
        other = first.setdefault((argocd.namespace, argocd.name_prefix), environment)
        theirs = other.stack.delivery.argocd
        if theirs is not None and theirs.destination != argocd.destination:
            yield Finding(
                f"{other.name} and {environment.name} both make the Application {argocd.namespace}/"
                f"{argocd.name_prefix}-stack: in one Argo CD the last one applied would replace the other",
                environment.overlay_place(("overrides", "delivery", "argocd"), key=True),
                f"override `delivery.argocd.namePrefix` here, with `gpu-{environment.name}` say",
                (Related("the other environment", other.overlay_place(("cluster",))),),
                environment=environment.name,
            )


RULE = Rule("GPU118", "applications-apart", _check, Severity.WARNING)
