"""The RuntimeClass is there, with the handler that the container toolkit registers."""

from __future__ import annotations

from compiler.doctor import snapshot as kinds
from compiler.doctor.case import Case, Finding, Link, Verdict
from compiler.doctor.data import one_line, text


class _RuntimeClass(Link):
    id = "runtime-class"
    title = "RuntimeClass"
    needs = (kinds.RUNTIME_CLASS,)
    after = ("delivered",)

    def check(self, case: Case) -> Verdict:
        """Compare name and handler; a handler cannot be changed, so a wrong one is deleted and made anew."""
        wanted = case.expected.environment.stack.runtime_class
        found = case.seen.get(kinds.RUNTIME_CLASS, wanted.name)
        mend = (
            case.reapply()
            if wanted.managed == "gpuc"
            else case.kubectl("get", "runtimeclass", wanted.name, "-o", "yaml")
        )
        if found is None:
            what = f"there is no RuntimeClass {wanted.name}"
            cause = "pods that name it are refused; it was deleted, or the stack was not applied"
            return Verdict(findings=(Finding(what, cause, (mend,)),))
        handler = text(found, "handler")
        if handler != wanted.handler:
            what = f"RuntimeClass {wanted.name} has the handler {one_line(handler)}, not {wanted.handler}"
            cause = "another installation made it; pods start without the driver's libraries, or not at all"
            return Verdict(
                findings=(Finding(what, cause, (case.kubectl("delete", "runtimeclass", wanted.name), mend)),)
            )
        return Verdict((f"{wanted.name} with handler {handler}",))


LINK = _RuntimeClass()
