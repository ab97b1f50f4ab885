"""How a GitOps tool comes to reconcile `out/`."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from compiler.model.base import Model
from compiler.model.scalars import DnsLabel, DnsSubdomain, Duration, Text

RepositoryPath = Annotated[str, Field(pattern=r"^(\./)?([A-Za-z0-9_][A-Za-z0-9_.-]*)(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$")]
GitUrl = Annotated[
    str, Field(pattern=r"^(https?://[^\s@/]+|ssh://([A-Za-z0-9._-]+@)?[^\s@/]+)(/[^\s@]*)?$", max_length=2048)
]
"""No user name in an https URL: it would be a token more often than not."""
OUT_PATH = "Folder of out/ in the repository, such as out or gpu/out."


class DependsOn(Model):
    """A Flux Kustomization that has to be ready first."""

    name: DnsSubdomain = Field(description="Name of the Kustomization.")
    namespace: DnsLabel | None = Field(None, description="Its namespace, where it is not the same.")


class SecretReference(Model):
    """A Secret in the namespace of the source."""

    name: DnsSubdomain = Field(description="Name of the Secret.")


class ExistingSource(Model):
    """A source that the cluster already has, such as the one that `flux bootstrap` made."""

    managed: Literal["external"] = Field("external", description="The cluster already has the source.")
    kind: Literal["GitRepository", "OCIRepository", "Bucket"] = Field(
        "GitRepository", description="Kind of the source."
    )
    name: DnsSubdomain = Field("flux-system", description="Name of the source.")
    namespace: DnsLabel | None = Field(None, description="Its namespace, where it is not that of the Kustomizations.")


class GitSource(Model):
    """A GitRepository that gpuc writes."""

    managed: Literal["gpuc"] = Field(description="gpuc writes a GitRepository.")
    name: DnsSubdomain = Field("gpu-stack", description="Name of the GitRepository.")
    url: GitUrl = Field(description="https:// or ssh:// URL; credentials belong into the Secret, never here.")
    branch: Text = Field("main", description="Branch to follow.")
    interval: Duration = Field("5m", description="Time between two looks at the repository.")
    secret_ref: SecretReference | None = Field(None, description="Credentials of a private repository.")


def _source(value: Any) -> str:
    found = value.get("managed", "external") if isinstance(value, dict) else getattr(value, "managed", "external")
    return found if isinstance(found, str) else "external"


Source = Annotated[
    Annotated[ExistingSource, Tag("external")] | Annotated[GitSource, Tag("gpuc")], Discriminator(_source)
]


class Flux(Model):
    """Flux Kustomizations for the stack, for monitoring, and for the gate that is ready when the GPUs are."""

    namespace: DnsLabel = Field("flux-system", description="Namespace of the Kustomizations.")
    name_prefix: DnsLabel = Field(
        "gpu", max_length=40, description="Their names start with it; renaming one makes Flux prune what it applied."
    )
    source: Source = Field(ExistingSource(), description="Where Flux takes out/ from.")
    path: RepositoryPath = Field("out", description=OUT_PATH)
    interval: Duration = Field("30m", description="Time between two reconciliations.")
    retry_interval: Duration = Field("2m", description="Time to the next attempt after a failure.")
    timeout: Duration = Field("5m", description="Time after which applying or waiting has failed.")
    prune: bool = Field(default=True, description="Remove what the repository no longer has; never namespace or CRDs.")
    wait: bool = Field(default=True, description="Be ready only when everything applied is.")
    service_account_name: DnsSubdomain | None = Field(
        None,
        description="Account to apply with, instead of the controller's own; docs/flux.md lists the rights it needs.",
    )
    depends_on: tuple[DependsOn, ...] = Field((), description="Kustomizations that the stack waits for.")
    monitoring_depends_on: tuple[DependsOn, ...] = Field(
        (), description="Kustomizations that monitoring waits for, such as the one that brings the ServiceMonitor CRD."
    )
    gate_interval: Duration = Field("2m", description="Time between two looks at the nodes' GPUs.")


class ArgoDestination(Model):
    """The cluster that an Application deploys to: exactly one of the two."""

    server: Annotated[str, Field(pattern=r"^https://[^\s]+$")] | None = Field(
        None, description="URL of its API server."
    )
    name: Text | None = Field(None, description="Name under which Argo CD knows it.")

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if (self.server is None) == (self.name is None):
            msg = "needs exactly one of server and name"
            raise ValueError(msg)
        return self


class ArgoSync(Model):
    """Whether and how Argo CD acts by itself."""

    automated: bool = Field(default=True, description="Apply what changes without being asked.")
    prune: bool = Field(default=True, description="Remove what the repository no longer has; never namespace or CRDs.")
    self_heal: bool = Field(default=True, description="Undo changes that others make on the cluster.")


class ArgoCD(Model):
    """Argo CD Applications for the stack and for monitoring."""

    namespace: DnsLabel = Field("argocd", description="Namespace of the Applications.")
    name_prefix: DnsLabel = Field("gpu", max_length=40, description="Their names start with it.")
    project: DnsSubdomain = Field("default", description="AppProject of the Applications.")
    repo_url: GitUrl = Field(alias="repoURL", description="https:// or ssh:// URL of the repository.")
    target_revision: Text = Field("HEAD", description="Branch, tag or commit.")
    path: RepositoryPath = Field("out", description=OUT_PATH)
    destination: ArgoDestination = Field(
        ArgoDestination(server="https://kubernetes.default.svc"), description="The cluster to deploy to."
    )
    sync: ArgoSync = Field(ArgoSync(), description="What Argo CD does by itself.")


class Delivery(Model):
    """What reconciles out/; each is optional."""

    flux: Flux | None = Field(None, description="Flux.")
    argocd: ArgoCD | None = Field(None, description="Argo CD.")
