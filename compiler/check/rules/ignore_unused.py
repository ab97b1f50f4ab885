"""An accepted finding that is not found any more.

What it does: warns about an `ignore` entry that took no finding away, once all rules have run.

Why it matters: the entry hides the day on which the mistake comes back, and tells readers of a problem that is gone.

How to mend it: delete the entry.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.rule import Finding, IgnoreRule, UsedIgnores
from compiler.diagnostics import Severity


def _check(subject: UsedIgnores) -> Iterator[Finding]:
    for environment in subject.project.environments:
        entries = environment.overlay.ignore
        for index, entry in enumerate(entries):
            if (environment.name, index) in subject.used:
                continue
            again = any(other.rule == entry.rule for other in entries[:index])
            yield Finding(
                f"{entry.rule} is accepted here a second time"
                if again
                else f"{entry.rule} is accepted here and not found: what the entry excuses is gone",
                environment.overlay_place(("ignore", index, "rule")),
                "delete the entry; it would hide the finding on the day it comes back",
            )


RULE = IgnoreRule("GPU112", "ignore-unused", _check, Severity.WARNING, ignorable=False)
