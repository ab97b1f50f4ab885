"""An environment variable that nothing reads.

What it does: compares variables of the user's with those that the component reads, and refuses a name that is almost
one of them. Names that merely look like NVIDIA's are judged in the finished objects, and all others pass.

Why it fails at run time: nobody complains about an unknown variable. NVIDIA_DEVICE_DISCOVERY_STRATEGY leaves the
strategy at `auto`, which finds no driver on Talos. Sources: k8s-device-plugin, cmd/*/main.go; dcgm-exporter,
pkg/cmd/app.go.

How to mend it: write the name as suggested, or delete the variable.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from compiler.check.components import components
from compiler.check.rule import Finding, Rule
from compiler.check.stacks import StackView, each_stack
from compiler.model.variables import RUNTIME

_SLIP = 0.9


def _check(view: StackView) -> Iterator[Finding]:
    for component in components(view.stack):
        known = sorted(component.reads | RUNTIME)
        for index, variable in enumerate(component.settings.env):
            if variable.name in known:
                continue
            meant = close_to(variable.name, known)
            if meant is not None:
                yield Finding(
                    f"{component.name} does not read {variable.name}: it changes nothing",
                    view.place((*component.loc, "env", index, "name")),
                    f"did you mean {meant}?",
                )


def close_to(name: str, known: list[str]) -> str | None:
    """Return the variable that a name was most likely meant to be: one with a vendor's prefix too many, or a slip."""
    ending = max((item for item in known if name.endswith(f"_{item}")), key=len, default=None)
    # Names of one family have much in common: only a slip of a letter or two is taken for another name.
    return ending or next(iter(get_close_matches(name, known, n=1, cutoff=_SLIP)), None)


RULE = Rule("GPU114", "env-unread", each_stack(_check))
