"""Flux and Argo CD would both reconcile the stack.

What it does: warns where an environment is delivered by both.

Why it matters: both apply the same objects and prune what the other changed. It is right for the hours of a move from
one to the other, and nobody notices when it stays.

How to mend it: keep one; in a single environment `overrides: {delivery: {argocd: null}}` takes one away.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.rule import Finding, Rule
from compiler.check.stacks import StackView, each_stack
from compiler.diagnostics import Related, Severity


def _check(view: StackView) -> Iterator[Finding]:
    delivery = view.stack.delivery
    if delivery.flux is not None and delivery.argocd is not None:
        yield Finding(
            "both Flux and Argo CD would reconcile the stack, each undoing what the other changes",
            view.place(("delivery", "argocd"), key=True),
            "keep one of the two",
            (Related("the other one", view.place(("delivery", "flux"), key=True)),),
        )


RULE = Rule("GPU117", "one-delivery", each_stack(_check), Severity.WARNING)
