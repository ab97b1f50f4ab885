"""The plugin's configuration shares by time-slicing and by MPS at once.

What it does: refuses `sharing.timeSlicing` next to `sharing.mps`, and MPS with MIG strategy mixed.

Why it fails at run time: MPS wins, and the time-slicing that somebody counts on is ignored in silence
(k8s-device-plugin, api/config/v1/sharing.go, ReplicatedResources). With MIG mixed, MPS makes the plugin exit
(cmd/nvidia-device-plugin/main.go, validateFlags).

How to mend it: keep one of the two.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.pluginconfig import PluginConfig
from compiler.check.rule import ConfigRule, Finding
from compiler.diagnostics import Related


def _check(config: PluginConfig) -> Iterator[Finding]:
    shared = {key for key, value in config.sharing() if value is not None}
    if shared == {"timeSlicing", "mps"}:
        yield Finding(
            "`sharing.timeSlicing` is ignored in silence, because `sharing.mps` is there too",
            config.place(("sharing", "timeSlicing"), key=True),
            "delete one of the two",
            (Related("this one wins", config.place(("sharing", "mps"), key=True)),),
        )
    if "mps" in shared and config.at("flags", "migStrategy") == "mixed":
        yield Finding(
            "MPS does not work with MIG strategy mixed: the device plugin would exit",
            config.place(("flags", "migStrategy")),
            "use `timeSlicing` with mixed MIG, or another `migStrategy`",
            (Related("MPS is asked for here", config.place(("sharing", "mps"), key=True)),),
        )


RULE = ConfigRule("GPU308", "config-one-strategy", _check)
