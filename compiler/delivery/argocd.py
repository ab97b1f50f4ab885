"""Argo CD Applications: the stack, and monitoring beside it.

RuntimeClass is missing in Argo CD's order of kinds, so the objects carry sync waves (`compiler.kustomize.layout`).
Server-side apply keeps large CRDs within limits and shows no difference for fields that the API server fills in.
"""

from __future__ import annotations

from compiler.kustomize.tree import Tree
from compiler.model.delivery import ArgoCD
from compiler.model.environment import Environment
from compiler.objects import Obj


def add(tree: Tree, environment: Environment) -> None:
    """Add `argocd/<overlay>/`, a Kustomize root, where the stack is delivered by Argo CD."""
    settings = environment.stack.delivery.argocd
    if settings is None:
        return
    folder = f"argocd/{environment.name}"
    overlay = f"overlays/{environment.name}"
    objects = [_application(settings, "stack", overlay, environment)]
    if f"{overlay}/monitoring" in tree.roots:
        objects.append(_application(settings, "monitoring", f"{overlay}/monitoring", environment))
    tree.add_root(folder, objects, environment.stack.kubernetes.version)


def _application(settings: ArgoCD, what: str, path: str, environment: Environment) -> Obj:
    """Return an Application; `path` is relative to out/.

    No finalizer: deleting the Application leaves the stack running. The namespace comes with the stack, so
    CreateNamespace, which would lose its Pod Security labels, is not needed.
    """
    sync = settings.sync
    destination = (
        {"server": settings.destination.server} if settings.destination.server else {"name": settings.destination.name}
    )
    automated = {"automated": {"prune": sync.prune, "selfHeal": sync.self_heal}} if sync.automated else {}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {
            "name": f"{settings.name_prefix}-{what}",
            "namespace": settings.namespace,
            "labels": {"app.kubernetes.io/managed-by": "gpuc"},
        },
        "spec": {
            "project": settings.project,
            "source": {
                "repoURL": settings.repo_url,
                "targetRevision": settings.target_revision,
                "path": f"{settings.path.removeprefix('./')}/{path}",
            },
            "destination": {**destination, "namespace": environment.stack.namespace_name},
            "syncPolicy": {
                **automated,
                "syncOptions": ["ServerSideApply=true"],
                "retry": {"limit": -1, "backoff": {"duration": "30s", "factor": 2, "maxDuration": "5m"}},
            },
        },
    }
