"""The stack's namespace is there, and admits pods with host paths."""

from __future__ import annotations

from compiler.doctor import snapshot as kinds
from compiler.doctor.case import Case, Finding, Link, Verdict
from compiler.doctor.data import labels, one_line, text

ENFORCE = "pod-security.kubernetes.io/enforce"


class _Namespace(Link):
    id = "namespace"
    title = "namespace"
    needs = (kinds.NAMESPACE,)
    after = ("delivered",)

    def check(self, case: Case) -> Verdict:
        """Look at the namespace's Pod Security label; Talos enforces baseline where a namespace does not say."""
        found = case.seen.get(kinds.NAMESPACE, case.namespace)
        own = case.expected.environment.stack.namespace_settings.managed == "gpuc"
        if found is None:
            mend = case.reapply() if own else case.kubectl("create", "namespace", case.namespace)
            why = "the stack was not applied, or somebody deleted it" if own else "its owner has not made it"
            return Verdict(findings=(Finding(f"there is no namespace {case.namespace}", why, (mend,)),))
        level = text(labels(found), ENFORCE)
        if level == "privileged":
            return Verdict((f"{case.namespace} is {level}",))
        says = f"{ENFORCE}={one_line(level)}" if level else f"no label {ENFORCE}"
        label = case.kubectl("label", "namespace", case.namespace, f"{ENFORCE}=privileged", "--overwrite")
        return Verdict(
            findings=(
                Finding(
                    f"namespace {case.namespace} has {says}, not privileged",
                    "Pod Security refuses pods with host paths, which are all of the stack's"
                    + ("; something else than the stack wrote the namespace" if own else ""),
                    (label, *((case.reapply(),) if own else ())),
                ),
            )
        )


LINK = _Namespace()
