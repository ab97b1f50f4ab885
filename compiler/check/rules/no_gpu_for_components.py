"""A component of the stack requests a GPU for itself.

What it does: refuses a resource of `nvidia.com` in the requests and limits of any component.

Why it fails at run time: the component takes a slice that a workload was to have, sees that one card only, and on an
unshared card starves the workload. The exporter, GFD and the plugin find the cards through the RuntimeClass.

How to mend it: remove the resource.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.components import components
from compiler.check.rule import Finding, Rule
from compiler.check.stacks import StackView, each_stack


def _check(view: StackView) -> Iterator[Finding]:
    for component in components(view.stack):
        resources = component.settings.resources
        for key in ("limits", "requests") if resources else ():
            for resource in getattr(resources, key):
                if resource.startswith("nvidia.com/"):
                    yield Finding(
                        f"{component.loc[0]} requests {resource}: it would take a slice from the workloads and see one "
                        "card only",
                        view.place((*component.loc, "resources", key, resource), key=True),
                        "remove it: the RuntimeClass shows the component every card",
                    )


RULE = Rule("GPU109", "no-gpu-for-components", each_stack(_check))
