"""One good object of every kind that gpuc has a schema of, and ways to have them checked."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from compiler.diagnostics import Diagnostic
from compiler.validate.kubeconform import Request, Source, validate_objects
from compiler.validate.schemas import SCHEMAS

_META = "metadata: {name: x, namespace: gpu}"
_POD = "spec: {containers: [{name: c, image: i, resources: {limits: {nvidia.com/gpu: 1}}}]}"
_TEMPLATE = f"template: {{metadata: {{labels: {{a: b}}}}, {_POD}}}"
_WORKLOAD = f"spec: {{selector: {{matchLabels: {{a: b}}}}, {_TEMPLATE}}}"
_RULE = "rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]"
_ROLE_REF = "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: x}"
_RBAC = "rbac.authorization.k8s.io/v1"
_CRD_VERSION = "{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, description: d}}}"
_GATE = "path: ./out, wait: false, healthCheckExprs: [{apiVersion: v1, kind: Node, current: 'true'}]"
_PCI = "{feature: pci.device, matchExpressions: {vendor: {op: In, value: ['10de']}}}"

BUILT_IN = {
    kind: f"apiVersion: {api_version}\nkind: {kind}\n{_META}\n{rest}\n"
    for kind, api_version, rest in (
        ("ClusterRole", _RBAC, _RULE),
        ("ClusterRoleBinding", _RBAC, _ROLE_REF),
        ("ConfigMap", "v1", "data: {a: b}"),
        ("CronJob", "batch/v1", f"spec: {{schedule: '@daily', jobTemplate: {{spec: {{{_TEMPLATE}}}}}}}"),
        (
            "CustomResourceDefinition",
            "apiextensions.k8s.io/v1",
            f"spec: {{group: g, names: {{kind: K, plural: ks}}, scope: Namespaced, versions: [{_CRD_VERSION}]}}",
        ),
        ("DaemonSet", "apps/v1", _WORKLOAD),
        ("Deployment", "apps/v1", _WORKLOAD),
        ("Job", "batch/v1", f"spec: {{{_TEMPLATE}}}"),
        ("Namespace", "v1", ""),
        ("NetworkPolicy", "networking.k8s.io/v1", "spec: {podSelector: {}}"),
        ("PersistentVolumeClaim", "v1", "spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}"),
        ("Pod", "v1", _POD),
        ("PriorityClass", "scheduling.k8s.io/v1", "value: 1000"),
        ("ResourceQuota", "v1", "spec: {hard: {requests.nvidia.com/gpu: 5}}"),
        ("Role", _RBAC, _RULE),
        ("RoleBinding", _RBAC, _ROLE_REF),
        ("RuntimeClass", "node.k8s.io/v1", "handler: nvidia"),
        ("Secret", "v1", "type: Opaque"),
        ("Service", "v1", "spec: {ports: [{port: 9400, targetPort: metrics}]}"),
        ("ServiceAccount", "v1", ""),
        ("StatefulSet", "apps/v1", _WORKLOAD.replace("{selector", "{serviceName: s, selector")),
    )
}

CUSTOM = {
    kind: f"apiVersion: {api_version}\nkind: {kind}\n{_META}\n{rest}\n"
    for kind, api_version, rest in (
        (
            "AppProject",
            "argoproj.io/v1alpha1",
            "spec: {sourceRepos: ['*'], destinations: [{server: '*', namespace: '*'}]}",
        ),
        (
            "Application",
            "argoproj.io/v1alpha1",
            "spec: {project: default, destination: {name: here, namespace: gpu}, source: {repoURL: r, path: out}}",
        ),
        ("GitRepository", "source.toolkit.fluxcd.io/v1", "spec: {url: 'https://git.example/r', interval: 1m}"),
        (
            "Kustomization",
            "kustomize.toolkit.fluxcd.io/v1",
            f"spec: {{interval: 30m, prune: true, sourceRef: {{kind: GitRepository, name: r}}, {_GATE}}}",
        ),
        ("NodeFeature", "nfd.k8s-sigs.io/v1alpha1", "spec: {features: {flags: {}, attributes: {}, instances: {}}}"),
        ("NodeFeatureGroup", "nfd.k8s-sigs.io/v1alpha1", "spec: {featureGroupRules: [{name: r}]}"),
        (
            "NodeFeatureRule",
            "nfd.k8s-sigs.io/v1alpha1",
            f"spec: {{rules: [{{name: r, labels: {{a: b}}, matchFeatures: [{_PCI}]}}]}}",
        ),
        ("OCIRepository", "source.toolkit.fluxcd.io/v1", "spec: {url: 'oci://registry.example/r', interval: 1m}"),
        (
            "PrometheusRule",
            "monitoring.coreos.com/v1",
            "spec: {groups: [{name: g, rules: [{alert: A, expr: up, for: 5m}]}]}",
        ),
        ("ServiceMonitor", "monitoring.coreos.com/v1", "spec: {selector: {}, endpoints: [{port: m, interval: 15s}]}"),
    )
}

KUSTOMIZE = {
    "Component": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{path: p.yaml}]\n",
    "kustomization.yaml": (
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\nnameSuffix: -x\n"
        "configMapGenerator: [{name: c, files: [a=b.yaml]}]\nlabels: [{pairs: {a: b}, includeSelectors: true}]\n"
    ),
}

EVERY = {**BUILT_IN, **CUSTOM, **KUSTOMIZE}


def check(
    tool: Path,
    folder: Path,
    texts: dict[str, str],
    *,
    kubernetes: str = "1.34",
    expected: int | None = None,
    schemas: Path = SCHEMAS,
) -> list[Diagnostic]:
    """Write texts into a folder as files, and return what kubeconform finds in them."""
    files = {}
    for name, text in texts.items():
        (folder / name).write_text(dedent(text), "utf-8")
        files[name] = Source(f"out/{name}", dedent(text))
    count = len(texts) if expected is None else expected
    return validate_objects(tool, folder, Request(files, count, kubernetes), schemas)
