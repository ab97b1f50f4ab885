"""The namespace, labelled so that Pod Security admits pods with host paths."""

from __future__ import annotations

from compiler.components.api import Component, Context
from compiler.components.pods import metadata
from compiler.model.stack import GPUStack
from compiler.objects import Obj

NEVER_PRUNED = {
    "argocd.argoproj.io/sync-options": "Prune=false",
    "kustomize.toolkit.fluxcd.io/prune": "disabled",
}
"""Deleting a namespace or a CRD deletes everything in it, so no GitOps tool may prune one."""


class Namespace(Component):
    """Talos enforces Pod Security baseline where a namespace does not say otherwise; the stack's pods need more."""

    name = "namespace"

    def enabled(self, stack: GPUStack) -> bool:
        """Whether gpuc makes the namespace."""
        return stack.namespace_settings.managed == "gpuc"

    def shared(self, context: Context) -> list[Obj]:
        """Return the Namespace."""
        settings = context.stack.namespace_settings
        security = {f"pod-security.kubernetes.io/{mode}": "privileged" for mode in ("audit", "enforce", "warn")}
        own = {"app.kubernetes.io/managed-by": "gpuc", **settings.labels, **security}
        return [
            {
                "apiVersion": "v1",
                "kind": "Namespace",
                "metadata": metadata(
                    settings.name, None, dict(sorted(own.items())), {**settings.annotations, **NEVER_PRUNED}
                ),
            }
        ]


COMPONENT = Namespace()
