"""The namespace does not admit the pods that are in it.

What it does: for every namespace among the objects, looks for pods of the stack that Pod Security's `baseline` forbids:
host paths, privileged containers, added capabilities, the node's process IDs, network or IPC. The namespace must then
enforce `privileged`. Without any label it counts where the cluster's own default is stricter, as on Talos; elsewhere
that is a warning.

Why it fails at run time: the API server refuses every pod, while the apply is clean and the DaemonSet looks fine to a
GitOps tool. Talos enforces `baseline` for the whole cluster. Sources: Kubernetes' Pod Security Standards; Talos'
default admission configuration.

How to mend it: label the namespace.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.plain import items, mapping, strings, text
from compiler.check.objects.programs import StackPod, stack_pods
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Located, PodTemplate, Scene
from compiler.diagnostics import Severity

_ENFORCE = "pod-security.kubernetes.io/enforce"
_BASELINE_CAPABILITIES = frozenset(
    {
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    }
)


def _check(scene: Scene) -> Iterator[Finding]:
    pods: dict[str, list[StackPod]] = {}
    for item in stack_pods(scene):
        pods.setdefault(item.namespace, []).append(item)
    talos = any(pool.talos for pool in scene.pools or ())
    for namespace in scene.of_kind("Namespace"):
        level = mapping(namespace.get("metadata", "labels")).get(_ENFORCE)
        needs = {str(item.pod): found for item in pods.get(namespace.name, []) if (found := needed(item.pod))}
        if not needs or level == "privileged":
            continue
        yield _finding(namespace, level, needs, certain=talos or level is not None)


def _finding(namespace: Located, level: object, needs: dict[str, list[str]], *, certain: bool) -> Finding:
    who = "; ".join(f"{pod} needs {', '.join(found)}" for pod, found in needs.items())
    if level is not None:
        what, place = f"enforces {level}", namespace.place(("metadata", "labels", _ENFORCE))
    else:
        what, place = "does not say what it enforces", namespace.absent("metadata", "labels", _ENFORCE)
    return Finding(
        f"the namespace {namespace.name} {what}, so its pods are refused while the apply is green: {who}",
        place,
        f"label it {_ENFORCE}: privileged",
        severity=None if certain else Severity.WARNING,
    )


def needed(pod: PodTemplate) -> list[str]:
    """Return what a pod needs that Pod Security's baseline forbids, in words."""
    found = [key for key in ("hostPID", "hostNetwork", "hostIPC") if pod.spec.get(key) is True]
    paths = [text(mapping(volume.get("hostPath")).get("path")) for _, volume in items(pod.spec.get("volumes"))]
    if any(paths):
        found.append("the host paths " + " ".join(sorted({path for path in paths if path})))
    contexts = [mapping(container.get("securityContext")) for _, container in pod.containers()]
    if any(context.get("privileged") is True for context in contexts):
        found.append("privileged")
    added = {name for context in contexts for name in strings(mapping(context.get("capabilities")).get("add"))}
    found += sorted(added - _BASELINE_CAPABILITIES)
    return found


RULE = SceneRule("GPU225", "pod-security", _check)
