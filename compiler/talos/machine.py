"""Machine-configuration patches, in the form that a Talos release wants.

From 1.14 kernel modules, sysctls and node settings are documents of their own; the older fields are still accepted.
1.14's form was checked against the extensions' own documentation and public configurations, since its Go package is not
published yet; 1.12 and 1.13 against Talos's own decoder (tests/talos).
"""

from __future__ import annotations

from compiler.model.kube import Taint
from compiler.model.overlay import NodePool
from compiler.objects import Json, Obj
from compiler.yaml.emit import emit

MODULES = ("nvidia", "nvidia_uvm", "nvidia_drm", "nvidia_modeset")
_DOCUMENTS_SINCE = (1, 14)
_JIT_HARDEN_UNTIL = (1, 12)
_RESTRICTED = ("kubernetes.io", "k8s.io")
_ALLOWED = ("kubelet.kubernetes.io", "node.kubernetes.io")


def machine_patch(pool: NodePool, minor: tuple[int, int]) -> str:
    """Return the patch for `talosctl patch machineconfig`: kernel modules, and what a node registers with.

    `minor` is the Talos release, such as (1, 13).
    """
    labels = {key: value for key, value in sorted(pool.node_selector.items()) if may_set(key)}
    taints = node_taints(pool.taints)
    sysctls = {"net.core.bpf_jit_harden": "1"} if minor <= _JIT_HARDEN_UNTIL else {}
    if minor < _DOCUMENTS_SINCE:
        machine: Obj = {
            "kernel": {"modules": [{"name": module} for module in MODULES]},
            **({"sysctls": sysctls} if sysctls else {}),
            **({"nodeLabels": labels} if labels else {}),
            **({"nodeTaints": taints} if taints else {}),
        }
        return emit({"machine": machine})
    documents: list[Obj] = [_document("KernelModuleConfig", name=module) for module in MODULES]
    if labels or taints:
        documents.append(
            _document(
                "KubeNodeConfig", **({"labels": labels} if labels else {}), **({"taints": taints} if taints else {})
            )
        )
    return "---\n".join(emit(document) for document in documents)


def _document(kind: str, **content: Json) -> Obj:
    return {"apiVersion": "v1alpha1", "kind": kind, **content}


def node_taints(taints: tuple[Taint, ...]) -> dict[str, str]:
    """Return taints as Talos writes them: value and effect by key."""
    return {taint.key: f"{taint.value}:{taint.effect}" if taint.value else f":{taint.effect}" for taint in taints}


def may_set(key: str) -> bool:
    """Whether a kubelet may set this label on its own node.

    Source: plugin/pkg/admission/noderestriction of Kubernetes: the prefixes kubernetes.io and k8s.io are restricted,
    but for kubelet.kubernetes.io and node.kubernetes.io and a few well-known labels.
    """
    prefix, slash, _ = key.rpartition("/")
    if not slash:
        return True
    if any(prefix == allowed or prefix.endswith(f".{allowed}") for allowed in _ALLOWED):
        return True
    return not any(prefix == domain or prefix.endswith(f".{domain}") for domain in _RESTRICTED)
