"""A Flux health check asks for an API version that is no longer served.

What it does: looks at `healthChecks` and `healthCheckExprs` of Kustomizations, and warns of health checks beside `wait:
true`, which ignores them.

Why it fails at run time: the check never finds its object, and the Kustomization runs into its timeout with every
reconciliation: whatever depends on it never starts. Flux removed its own v1beta and v2beta versions in 2.7 and 2.8, so
a check on a HelmRelease of `helm.toolkit.fluxcd.io/v2beta1` fails since. Source: Flux's release notes.

How to mend it: use the version that is named.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.kinds import served_instead
from compiler.check.objects.plain import items, text
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene
from compiler.diagnostics import Severity

_GROUP = "kustomize.toolkit.fluxcd.io"


def _check(scene: Scene) -> Iterator[Finding]:
    for item in scene.of_kind("Kustomization"):
        if item.group != _GROUP:
            continue
        for key in ("healthChecks", "healthCheckExprs"):
            for index, check in items(item.get("spec", key)):
                version = text(check.get("apiVersion"))
                if instead := served_instead(version):
                    yield Finding(
                        f"{item} waits for a {text(check.get('kind'))} of {version}, which is not served: it times out "
                        "with every reconciliation",
                        item.place(("spec", key, index, "apiVersion")),
                        f"use {instead}",
                    )
        if item.get("spec", "wait") is True and item.get("spec", "healthChecks"):
            yield Finding(
                f"{item} has healthChecks beside wait: true, which ignores them",
                item.place(("spec", "healthChecks"), key=True),
                "set wait: false, or delete the healthChecks",
                severity=Severity.WARNING,
            )


RULE = SceneRule("GPU245", "flux-health-check", _check)
