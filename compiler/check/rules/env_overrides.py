"""An environment variable overrides what gpuc writes into the plugin's configuration file.

What it does: refuses variables of the user's, on the device plugin and on GPU Feature Discovery, that win over the
file, and those that make them read another file.

Why it fails at run time: the environment beats the file, in silence. Plugin, GFD and MPS daemon share one file so that
they cannot disagree; a variable on one of them makes the node's labels tell of another sharing than the plugin's.
Source: k8s-device-plugin, api/config/v1/config.go, NewConfig.

How to mend it: use the setting that the message names.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.components import components
from compiler.check.rule import Finding, Rule
from compiler.check.stacks import StackView, each_stack
from compiler.model.variables import CONFIG_FILE, OVERRIDES


def _check(view: StackView) -> Iterator[Finding]:
    for component in components(view.stack):
        if not component.reads_config:
            continue
        for index, variable in enumerate(component.settings.env):
            place = view.place((*component.loc, "env", index, "name"))
            setting = OVERRIDES.get(variable.name.removeprefix("GFD_"))
            if variable.name in CONFIG_FILE:
                yield Finding(
                    f"{variable.name} makes {component.name} read another file than the one that gpuc writes",
                    place,
                    "delete it; what the file holds are settings of `devicePlugin` and of the node pools",
                )
            elif setting:
                yield Finding(
                    f"{variable.name} on {component.name} wins over the configuration file, in silence",
                    place,
                    f"delete it, and set `{setting}`",
                )


RULE = Rule("GPU113", "env-overrides", each_stack(_check))
