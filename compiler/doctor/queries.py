"""What doctor reads: the same list whether it asks the cluster itself or reads what somebody saved. Never Secrets."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from compiler.components.device_plugin import NAME as PLUGIN
from compiler.components.pods import POD_LABEL_INSTANCE
from compiler.doctor import snapshot as kinds
from compiler.doctor.snapshot import Kind
from compiler.model.delivery import GitSource
from compiler.model.environment import Environment

GROUPS = ("get", "--raw", "/apis")
"""The API groups that the server knows: a kind of another group has no CRD."""
LOG_LINES = 200
UNKNOWN_KIND = "the server doesn't have a resource type"
"""What kubectl says of a kind whose CRD is missing."""
_EVERYWHERE = ("--all-namespaces",)


@dataclass(frozen=True)
class Query:
    """A list of objects: `resource` as kubectl names it, and where or which."""

    kind: Kind
    resource: str
    options: tuple[str, ...] = ()

    @property
    def arguments(self) -> tuple[str, ...]:
        """Arguments for kubectl."""
        return ("get", self.resource, *self.options, "--output=json")

    @property
    def file(self) -> str:
        """Name of the file that holds the answer; only an empty answer needs it to tell of what."""
        return f"{self.stem}.json"

    @property
    def stem(self) -> str:
        """Name of the files of the answer, and of what kubectl says where there is none, without their endings."""
        return self.resource.partition(".")[0]


def queries(environment: Environment) -> tuple[Query, ...]:
    """Return what is read for an environment."""
    stack = environment.stack
    here = (f"--namespace={stack.namespace_name}",)
    found = [
        Query(kinds.NODE, "nodes"),
        Query(kinds.NAMESPACE, "namespaces"),
        Query(kinds.RUNTIME_CLASS, "runtimeclasses.node.k8s.io"),
        Query(kinds.DAEMON_SET, "daemonsets.apps", _EVERYWHERE),
        Query(kinds.DEPLOYMENT, "deployments.apps", here),
        Query(kinds.CONFIG_MAP, "configmaps", (*here, f"--selector={POD_LABEL_INSTANCE}")),
        Query(kinds.POD, "pods", _EVERYWHERE),
        Query(kinds.EVENT, "events", (*_EVERYWHERE, "--field-selector=type=Warning")),
        Query(kinds.NODE_FEATURE, "nodefeatures.nfd.k8s-sigs.io", _EVERYWHERE),
        Query(kinds.NODE_FEATURE_RULE, "nodefeaturerules.nfd.k8s-sigs.io"),
    ]
    if stack.has_dcgm_exporter:
        found.append(Query(kinds.SERVICE_MONITOR, "servicemonitors.monitoring.coreos.com", here))
    if flux := stack.delivery.flux:
        source = flux.source
        elsewhere = None if isinstance(source, GitSource) else source.namespace
        kind = kinds.GIT_REPOSITORY if isinstance(source, GitSource) else Kind(kinds.GIT_REPOSITORY.group, source.kind)
        plural = {kinds.OCI_REPOSITORY: "ocirepositories", kinds.BUCKET: "buckets"}.get(kind, "gitrepositories")
        found += [
            Query(
                kinds.KUSTOMIZATION, "kustomizations.kustomize.toolkit.fluxcd.io", (f"--namespace={flux.namespace}",)
            ),
            Query(kind, f"{plural}.{kind.group}", (f"--namespace={elsewhere or flux.namespace}",)),
        ]
    if argocd := stack.delivery.argocd:
        found.append(Query(kinds.APPLICATION, "applications.argoproj.io", (f"--namespace={argocd.namespace}",)))
    return tuple(found)


def commands_to_save(environment: Environment, kubectl: Sequence[str]) -> str:
    """Return the commands that make a folder for `gpuc doctor --from`, as a shell reads them.

    A kind that the server does not know makes its command fail, which is fine: the API groups and the .err files tell.
    """
    folder = "gpu-doctor"
    lines = [f"mkdir -p {folder}", f"{shlex.join((*kubectl, *GROUPS))} > {folder}/apis.json"]
    lines += [
        f"{shlex.join((*kubectl, *query.arguments))} > {folder}/{query.file} 2> {folder}/{query.stem}.err"
        for query in queries(environment)
    ]
    logs = shlex.join(
        (
            *kubectl,
            f"--namespace={environment.stack.namespace_name}",
            "logs",
            f"--selector=app.kubernetes.io/name={PLUGIN}",
            "--prefix",
            f"--tail={LOG_LINES}",
        )
    )
    lines += [f"{logs} > {folder}/device-plugin.log", f"{logs} --previous > {folder}/device-plugin-previous.log"]
    lines.append(f"gpuc doctor --overlay {environment.name} --from {folder}")
    return "\n".join(lines) + "\n"
