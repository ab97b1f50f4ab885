"""Nobody has looked at this version of the image with gpuc.

What it does: warns about a version of the device plugin or of the DCGM exporter that is not in gpuc's table.

Why it matters: what an image reads from its environment and configuration, and which rights it needs, changes between
releases. It most likely works; watch the first roll-out.

How to mend it: use a version from the table, or accept the warning under `ignore`.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.rule import Finding, Rule
from compiler.check.stacks import StackView, each_stack
from compiler.diagnostics import Severity
from compiler.model.versions import DCGM_EXPORTER, DEVICE_PLUGIN


def _check(view: StackView) -> Iterator[Finding]:
    stack = view.stack
    used = [("devicePlugin", stack.device_plugin.version, DEVICE_PLUGIN)]
    if stack.dcgm_exporter:
        used.append(("dcgmExporter", stack.dcgm_exporter.version, DCGM_EXPORTER))
    for key, version, known in used:
        if version not in known:
            yield Finding(
                f"{key} {version} has not been looked at: it may read other settings or need other rights",
                view.place((key, "version")),
                f"looked at: {', '.join(known)}",
            )


RULE = Rule("GPU105", "image-version", each_stack(_check), Severity.WARNING)
