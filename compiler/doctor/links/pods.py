"""What several links ask of a pod: does it run, and if not, why."""

from __future__ import annotations

from compiler.doctor.case import Case, Finding, meant_for
from compiler.doctor.data import condition, items, name, namespace, number, one_line, text
from compiler.objects import Obj

_CAUSES = {
    "CrashLoopBackOff": "its program ends again and again; the log says why",
    "ImagePullBackOff": "the image cannot be pulled: its name, the registry, or the pull secret",
    "ErrImagePull": "the image cannot be pulled: its name, the registry, or the pull secret",
    "CreateContainerConfigError": "a ConfigMap or Secret that it refers to is missing",
    "OOMKilled": "its memory limit is too low: raise `resources.limits.memory`",
}
_NO_HANDLER = "no runtime for"


def is_ready(pod: Obj) -> bool:
    """Say whether a pod runs and is ready."""
    return text(pod, "status", "phase") == "Running" and text(condition(pod, "Ready"), "status") == "True"


def reason(pod: Obj) -> str:
    """Return the one word that Kubernetes has for why a pod does not run, or nothing."""
    for status in items(pod, "status", "containerStatuses"):
        ended = text(status, "lastState", "terminated", "reason") or text(status, "state", "terminated", "reason")
        if ended == "OOMKilled":
            return ended
        if found := text(status, "state", "waiting", "reason"):
            return found
    return text(pod, "status", "reason")


def restarts(pod: Obj) -> int:
    """Return how often a pod's containers were started again."""
    return sum(number(status, "restartCount") for status in items(pod, "status", "containerStatuses"))


def trouble(case: Case, pod: Obj) -> Finding | None:
    """Return why a pod is not ready, or None where it is."""
    if is_ready(pod):
        return None
    why, said = reason(pod), case.warnings("Pod", name(pod), namespace(pod))
    scheduled = condition(pod, "PodScheduled")
    describe = case.kubectl("-n", namespace(pod), "describe", "pod", name(pod))
    logs = case.kubectl("-n", namespace(pod), "logs", name(pod), "--all-containers", "--tail=50")
    where = meant_for(pod) or "no node"
    what = f"pod {name(pod)} on {where} is not ready" + (f": {one_line(why)}" if why else "")
    if any(_NO_HANDLER in line for line in said):
        cause = "the node's container runtime does not know the handler: the container toolkit is not there"
        return Finding(what, f"{cause} ({said[-1]})", (describe,))
    if text(scheduled, "status") == "False":
        return Finding(what, one_line(text(scheduled, "message")), (describe,))
    cause = _CAUSES.get(why) or (said[-1] if said else "the kubelet has not started it yet")
    crashed = why in ("CrashLoopBackOff", "Error", "OOMKilled")
    return Finding(what, cause, (f"{logs} --previous" if crashed else logs, describe))


def running_on(case: Case, workload: str, node: str) -> Finding | None:
    """Return why a DaemonSet of the stack has no ready pod on a node, or None where it has."""
    if case.daemon_set(workload) is None:
        cause = "the stack was not applied, or somebody deleted it"
        return Finding(f"there is no DaemonSet {workload} in {case.namespace}", cause, (case.reapply(),))
    pods = case.pods(workload, node)
    if pods:
        return next((found for pod in pods if (found := trouble(case, pod))), None)
    said = case.warnings("DaemonSet", workload, case.namespace)
    cause = said[-1] if said else "its node selector or tolerations do not fit the node"
    return Finding(f"{workload} has no pod on {node}", cause, (case.here("describe", "daemonset", workload),))
