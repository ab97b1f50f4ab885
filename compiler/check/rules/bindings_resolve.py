"""A binding names a role or an account that is not there.

What it does: looks up `roleRef` and the ServiceAccounts under `subjects` of every RoleBinding and ClusterRoleBinding,
where nothing else is applied. A subject without a namespace, or with another one than the account's, counts as not
there. Built-in roles (`system:...`, `view`, `edit`, `admin`, `cluster-admin`) are.

Why it fails at run time: the API server takes the binding, and the pods get "forbidden" for every request: NFD and GPU
Feature Discovery cannot publish, so no label appears. Source: k8s.io/kubernetes plugin/pkg/auth/authorizer/rbac.

How to mend it: correct the name or the namespace, or add the role or account.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.plain import items, mapping, text
from compiler.check.objects.programs import stack_namespaces
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Located, Scene

_BUILT_IN = frozenset({"view", "edit", "admin", "cluster-admin"})


def _check(scene: Scene) -> Iterator[Finding]:
    if not scene.whole:
        return
    for binding in scene.of_kind("RoleBinding", "ClusterRoleBinding"):
        yield from _role(scene, binding)
        yield from _subjects(scene, binding)


def _role(scene: Scene, binding: Located) -> Iterator[Finding]:
    reference = mapping(binding.get("roleRef"))
    kind, name = text(reference.get("kind")), text(reference.get("name"))
    if name.startswith("system:") or name in _BUILT_IN or (kind, name) in scene.external_names:
        return
    namespace = binding.namespace if kind == "Role" else ""
    if scene.find(kind, namespace, name) is None and not _with_namespace(scene, kind, name):
        yield Finding(
            f"{binding} is for the {kind} {name}, which nobody creates: its accounts may do nothing",
            binding.place(("roleRef", "name")),
            f"add the {kind}, or name one that is there",
        )


def _with_namespace(scene: Scene, kind: str, name: str) -> bool:
    """Return whether a ClusterRole is there with a namespace that it should not have: another rule's finding."""
    return kind == "ClusterRole" and any(item.name == name for item in scene.of_kind(kind))


def _subjects(scene: Scene, binding: Located) -> Iterator[Finding]:
    for index, subject in items(binding.get("subjects")):
        name = text(subject.get("name"))
        if subject.get("kind") != "ServiceAccount" or name == "default":
            continue
        namespace = text(subject.get("namespace"))
        if scene.find("ServiceAccount", namespace, name) or ("ServiceAccount", name) in scene.external_names:
            continue
        others = [item.namespace for item in scene.of_kind("ServiceAccount") if item.name == name]
        if not others and namespace and namespace not in stack_namespaces(scene):
            continue
        where = f"namespace {namespace}" if namespace else "no namespace"
        yield Finding(
            f"{binding} names the account {name} in {where}, where there is none: the account gets no rights",
            binding.place(("subjects", index, "namespace" if namespace and others else "name")),
            f"set its namespace to {others[0]}" if others else "add the ServiceAccount, or correct the name",
        )


RULE = SceneRule("GPU215", "bindings-resolve", _check)
