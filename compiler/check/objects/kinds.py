"""Which kinds have a namespace, which need a CRD, and which versions are gone.

Source: the API reference of Kubernetes 1.34 and its deprecation guide; the CRDs of the projects named.
"""

from __future__ import annotations

from compiler.check.objects.plain import items, text
from compiler.check.scene import Located, Scene

_CLUSTER = frozenset(
    {
        ("", "Namespace"),
        ("", "Node"),
        ("", "PersistentVolume"),
        ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"),
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"),
        ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"),
        ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
        ("apiextensions.k8s.io", "CustomResourceDefinition"),
        ("apiregistration.k8s.io", "APIService"),
        ("node.k8s.io", "RuntimeClass"),
        ("rbac.authorization.k8s.io", "ClusterRole"),
        ("rbac.authorization.k8s.io", "ClusterRoleBinding"),
        ("resource.k8s.io", "DeviceClass"),
        ("scheduling.k8s.io", "PriorityClass"),
        ("storage.k8s.io", "CSIDriver"),
        ("storage.k8s.io", "StorageClass"),
        ("nfd.k8s-sigs.io", "NodeFeatureRule"),
        ("nvidia.com", "ClusterPolicy"),
        ("nvidia.com", "NVIDIADriver"),
    }
)
_NAMESPACED = frozenset(
    {
        *(
            ("", kind)
            for kind in (
                "ConfigMap",
                "Endpoints",
                "LimitRange",
                "PersistentVolumeClaim",
                "Pod",
                "ReplicationController",
                "ResourceQuota",
                "Secret",
                "Service",
                "ServiceAccount",
            )
        ),
        *(("apps", kind) for kind in ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")),
        *(("batch", kind) for kind in ("CronJob", "Job")),
        *(("networking.k8s.io", kind) for kind in ("Ingress", "NetworkPolicy")),
        *(("rbac.authorization.k8s.io", kind) for kind in ("Role", "RoleBinding")),
        ("autoscaling", "HorizontalPodAutoscaler"),
        ("coordination.k8s.io", "Lease"),
        ("policy", "PodDisruptionBudget"),
        ("resource.k8s.io", "ResourceClaimTemplate"),
        ("nfd.k8s-sigs.io", "NodeFeature"),
        ("nfd.k8s-sigs.io", "NodeFeatureGroup"),
        *(("monitoring.coreos.com", kind) for kind in ("PodMonitor", "PrometheusRule", "ServiceMonitor")),
    }
)
_NAMESPACED_GROUPS = ("toolkit.fluxcd.io", "argoproj.io")
_BUILT_IN = frozenset({"", "apps", "autoscaling", "batch", "policy", "extensions"})
_GONE = {
    "admissionregistration.k8s.io/v1beta1": "admissionregistration.k8s.io/v1",
    "apiextensions.k8s.io/v1beta1": "apiextensions.k8s.io/v1",
    "apps/v1beta1": "apps/v1",
    "apps/v1beta2": "apps/v1",
    "autoscaling/v2beta1": "autoscaling/v2",
    "autoscaling/v2beta2": "autoscaling/v2",
    "batch/v1beta1": "batch/v1",
    "extensions/v1beta1": "apps/v1",
    "networking.k8s.io/v1beta1": "networking.k8s.io/v1",
    "node.k8s.io/v1alpha1": "node.k8s.io/v1",
    "node.k8s.io/v1beta1": "node.k8s.io/v1",
    "policy/v1beta1": "policy/v1",
    "rbac.authorization.k8s.io/v1alpha1": "rbac.authorization.k8s.io/v1",
    "rbac.authorization.k8s.io/v1beta1": "rbac.authorization.k8s.io/v1",
    "scheduling.k8s.io/v1alpha1": "scheduling.k8s.io/v1",
    "scheduling.k8s.io/v1beta1": "scheduling.k8s.io/v1",
    # Flux removed its beta versions in 2.7 and 2.8.
    "helm.toolkit.fluxcd.io/v2beta1": "helm.toolkit.fluxcd.io/v2",
    "helm.toolkit.fluxcd.io/v2beta2": "helm.toolkit.fluxcd.io/v2",
    "kustomize.toolkit.fluxcd.io/v1beta1": "kustomize.toolkit.fluxcd.io/v1",
    "kustomize.toolkit.fluxcd.io/v1beta2": "kustomize.toolkit.fluxcd.io/v1",
    "source.toolkit.fluxcd.io/v1beta1": "source.toolkit.fluxcd.io/v1",
    "source.toolkit.fluxcd.io/v1beta2": "source.toolkit.fluxcd.io/v1",
}


def group_of(api_version: str) -> str:
    """Return the API group of an apiVersion; empty for the core group."""
    return api_version.rpartition("/")[0]


def served_instead(api_version: str) -> str | None:
    """Return the version to use instead of one that no supported Kubernetes or Flux serves; None for a good one."""
    return _GONE.get(api_version)


def is_namespaced(scene: Scene, item: Located) -> bool | None:
    """Return whether objects of this kind have a namespace; None where it is not known."""
    known = group_of(str(item.obj["apiVersion"])), item.kind
    if (crd := scene.once(crds).get(known)) is not None:
        return bool(crd.get("spec", "scope") == "Namespaced")
    if known in _CLUSTER:
        return False
    if known in _NAMESPACED or known[0].endswith(_NAMESPACED_GROUPS):
        return True
    return None


def is_custom(group: str) -> bool:
    """Return whether a group comes with CRDs, not with Kubernetes."""
    return group not in _BUILT_IN and (not group.endswith(".k8s.io") or group == "snapshot.storage.k8s.io")


def crds(scene: Scene) -> dict[tuple[str, str], Located]:
    """Return the CRDs in the scene by the group and kind that they define."""
    return {
        (text(item.get("spec", "group")), text(item.get("spec", "names", "kind"))): item
        for item in scene.of_kind("CustomResourceDefinition")
    }


def serves(crd: Located, version: str) -> bool:
    """Return whether a CRD serves a version."""
    return any(
        item.get("name") == version and item.get("served") is True for _, item in items(crd.get("spec", "versions"))
    )


def crd_names(group: str, kind: str) -> tuple[str, ...]:
    """Return the names that the CRD of a kind may have; nothing in an object tells its plural for sure."""
    lower = kind.lower()
    plurals = [f"{lower}s", f"{lower}es", lower]
    if lower.endswith("y"):
        plurals.insert(0, f"{lower[:-1]}ies")
    return tuple(f"{plural}.{group}" for plural in plurals)
