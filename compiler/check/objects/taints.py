"""Which taints a pod tolerates, for good.

Source: k8s.io/component-helpers/scheduling/corev1, and the tolerations that the DaemonSet controller adds
(k8s.io/kubernetes pkg/controller/daemon/util).
"""

from __future__ import annotations

from compiler.check.objects.plain import items
from compiler.check.scene import PodTemplate
from compiler.model.kube import Taint
from compiler.objects import Obj

DAEMONS_TOLERATE = frozenset(
    f"node.kubernetes.io/{name}"
    for name in ("not-ready", "unreachable", "disk-pressure", "memory-pressure", "pid-pressure", "unschedulable")
)


def untolerated(pod: PodTemplate, taints: tuple[Taint, ...]) -> list[Taint]:
    """Return the taints that keep a pod off a node, or drive it away."""
    hard = [taint for taint in taints if taint.effect != "PreferNoSchedule"]
    if not hard:
        return []
    daemon = pod.owner.kind == "DaemonSet"
    tolerations = [item for _, item in items(pod.spec.get("tolerations"))]
    return [
        taint
        for taint in hard
        if not (daemon and taint.key in DAEMONS_TOLERATE) and not any(covers(item, taint) for item in tolerations)
    ]


def covers(toleration: Obj, taint: Taint) -> bool:
    """Return whether a toleration, as plain data, covers a taint for as long as it lasts."""
    key, operator = toleration.get("key"), toleration.get("operator") or "Equal"
    if key and key != taint.key:
        return False
    if not key and operator != "Exists":
        return False
    if toleration.get("effect") not in (None, "", taint.effect):
        return False
    if taint.effect == "NoExecute" and toleration.get("tolerationSeconds") is not None:
        return False
    return operator == "Exists" or (toleration.get("value") or "") == taint.value


def shown(taint: Taint) -> str:
    """Return a taint as kubectl writes it: key=value:effect."""
    return f"{taint.key}={taint.value}:{taint.effect}" if taint.value else f"{taint.key}:{taint.effect}"


def as_toleration(taint: Taint) -> str:
    """Return the toleration to add for a taint, as one line of YAML."""
    if taint.value:
        return f"{{key: {taint.key}, operator: Equal, value: {taint.value}, effect: {taint.effect}}}"
    return f"{{key: {taint.key}, operator: Exists, effect: {taint.effect}}}"
