"""Machine-configuration patches, in the form that a Talos release wants.

From 1.14 kernel modules and node settings are documents of their own. A configuration that 1.14 made has a
KubeNodeConfig, beside which `machine.nodeLabels` and `machine.nodeTaints` are refused, and the other way round. All
forms are checked against Talos's own decoder (tests/talos).
"""

from __future__ import annotations

from compiler.check.rules.talos_labels import may_set
from compiler.check.talosfile import MODULES
from compiler.model.kube import Taint
from compiler.model.overlay import NodePool
from compiler.objects import Json, Obj
from compiler.yaml.emit import emit

DOCUMENTS_SINCE = (1, 14)
_JIT_HARDEN_UNTIL = (1, 12)


def machine_patch(pool: NodePool, minor: tuple[int, int]) -> str:
    """Return the patch for `talosctl patch machineconfig`: kernel modules, and what a node registers with.

    `minor` is the Talos release, such as (1, 13).
    """
    labels = {key: value for key, value in sorted(pool.node_selector.items()) if may_set(key)}
    taints = node_taints(pool.taints)
    sysctls = {"net.core.bpf_jit_harden": "1"} if minor <= _JIT_HARDEN_UNTIL else {}
    if minor < DOCUMENTS_SINCE:
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
