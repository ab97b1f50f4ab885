"""An accepted finding is of no rule that can be ignored.

What it does: looks up the code of every `ignore` entry in the table of rules.

Why it matters: an entry for a code that does not exist takes nothing away, and whoever reads it believes that somebody
has looked. What is no rule (GPU0xx: the file cannot be read; GPU9xx: a tool or the disk) leaves nothing to compile.

How to mend it: `gpuc explain` lists the rules; name one of them, or delete the entry.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.rule import Finding, Rule, each_environment
from compiler.model.describe import suggest
from compiler.model.environment import Environment


def _check(environment: Environment) -> Iterator[Finding]:
    from compiler.check import all_rules  # noqa: PLC0415 -- the table is complete only after all rules are loaded

    known = {rule.code: rule for rule in all_rules()}
    for index, entry in enumerate(environment.overlay.ignore):
        place = environment.overlay_place(("ignore", index, "rule"))
        rule = known.get(entry.rule)
        if rule is None and entry.rule[3] in "09":
            yield Finding(
                f"{entry.rule} cannot be ignored: it is no rule, and leaves gpuc with nothing to compile",
                place,
                "delete the entry, and mend what is reported; `gpuc explain` lists the rules",
            )
        elif rule is None:
            meant = suggest(entry.rule, [code for code in known if known[code].ignorable])
            yield Finding(
                f"there is no rule {entry.rule}: the entry takes nothing away",
                place,
                f"did you mean `{meant}` ({known[meant].name})?" if meant else "`gpuc explain` lists the rules",
            )
        elif not rule.ignorable:
            yield Finding(
                f"{entry.rule} ({rule.name}) cannot be ignored",
                place,
                "delete the entry, and mend what is reported",
            )


RULE = Rule("GPU111", "ignore-known", each_environment(_check), ignorable=False)
