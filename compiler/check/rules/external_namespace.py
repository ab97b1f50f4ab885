"""The stack's pods may be refused in a namespace that gpuc does not make.

What it does: says once, on Talos, that the labels of a `managed: external` namespace cannot be seen.

Why it matters: Talos enforces Pod Security baseline cluster-wide. The stack's pods need host paths, so that without the
label `pod-security.kubernetes.io/enforce: privileged` every one of them is refused when it is admitted, while the apply
is clean. Source: Talos, Pod Security.

How to mend it: label the namespace, and accept this under `ignore` with the place where it is done.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.platforms import platforms
from compiler.check.rule import Finding, Rule, each_environment
from compiler.diagnostics import Severity
from compiler.model.environment import Environment


def _check(environment: Environment) -> Iterator[Finding]:
    namespace = environment.stack.namespace_settings
    if namespace.managed == "external" and any(item.talos is not None for item in platforms(environment)):
        yield Finding(
            f"the namespace {namespace.name} is somebody else's: unless it is labelled for Pod Security privileged, "
            "Talos refuses every pod of the stack",
            environment.stack_place(("namespace", "managed")),
            "label it `pod-security.kubernetes.io/enforce: privileged`, and ignore this with the place where",
        )


RULE = Rule("GPU508", "external-namespace", each_environment(_check), Severity.WARNING)
