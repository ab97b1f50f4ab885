"""A container forbids privilege escalation and adds CAP_SYS_ADMIN.

What it does: looks for `allowPrivilegeEscalation: false` beside the capability CAP_SYS_ADMIN, or beside
`privileged: true`.

Why it fails at run time: the API server refuses the object: "cannot set allowPrivilegeEscalation to false and
capabilities.Add CAP_SYS_ADMIN". Without the prefix the same capability is taken. Source: k8s.io/kubernetes
pkg/apis/core/validation, ValidateSecurityContext.

How to mend it: write SYS_ADMIN, the spelling without CAP_, or leave out allowPrivilegeEscalation.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.objects.plain import mapping, strings
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene, pod_templates


def _check(scene: Scene) -> Iterator[Finding]:
    for pod in pod_templates(scene):
        for route, container in pod.containers():
            context = mapping(container.get("securityContext"))
            if context.get("allowPrivilegeEscalation") is not False:
                continue
            here = (*route, "securityContext")
            added = strings(mapping(context.get("capabilities")).get("add"))
            if "CAP_SYS_ADMIN" in added:
                yield Finding(
                    f"{pod} sets allowPrivilegeEscalation: false and adds CAP_SYS_ADMIN: the API server refuses it",
                    pod.place(*here, "capabilities", "add", added.index("CAP_SYS_ADMIN")),
                    "write SYS_ADMIN, or leave out allowPrivilegeEscalation",
                )
            if context.get("privileged") is True:
                yield Finding(
                    f"{pod} sets allowPrivilegeEscalation: false and privileged: true: the API server refuses it",
                    pod.place(*here, "allowPrivilegeEscalation"),
                    "leave out allowPrivilegeEscalation",
                )


RULE = SceneRule("GPU235", "capability-spelling", _check)
