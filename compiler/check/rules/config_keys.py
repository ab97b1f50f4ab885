"""A key of the plugin's configuration that the plugin does not know.

What it does: compares every key with those that the plugin reads, level by level.

Why it fails at run time: the plugin reads its file without strictness and ignores what it does not know, in silence:
`time-slicing` for `timeSlicing` means no sharing at all, and `flags.renameByDefault` renames nothing. In some places Go
also takes a key in another case; the finding is then a warning. Source: k8s-device-plugin, api/config/v1.

How to mend it: write the key as suggested, or move it to where it belongs.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.configkeys import Entry, entries, homes, spelled
from compiler.check.pluginconfig import PluginConfig
from compiler.check.rule import ConfigRule, Finding
from compiler.diagnostics import Severity
from compiler.model.describe import suggest

# Chart values and spellings that people carry into the file.
_MEANT = {"timeslicing": "timeSlicing", "timesliced": "timeSlicing", "timeslice": "timeSlicing"}


def _check(config: PluginConfig) -> Iterator[Finding]:
    for entry in entries(config):
        if entry.kind is not None:
            continue
        place = config.place(entry.route, key=True)
        same = entry.same_but_for_case
        if same and not entry.level.exact:
            yield Finding(
                f"`{spelled(entry.route)}` works only because Go ignores upper and lower case here",
                place,
                f"write `{same}`",
                severity=Severity.WARNING,
            )
        else:
            yield Finding(
                f"the device plugin does not know `{spelled(entry.route)}` and ignores it in silence{_loss(entry)}",
                place,
                _advice(entry),
            )


def _loss(entry: Entry) -> str:
    return ": nothing is shared" if _meant(entry) in {"sharing", "timeSlicing", "mps"} else ""


def _meant(entry: Entry) -> str | None:
    word = entry.key.lower().replace("-", "").replace("_", "")
    known = list(entry.level.keys)
    return _MEANT[word] if _MEANT.get(word) in known else suggest(entry.key, known)


def _advice(entry: Entry) -> str:
    if paths := homes(entry.key):
        return f"`{entry.key}` belongs under {' or '.join(f'`{path}`' for path in paths)}"
    meant = _meant(entry)
    return f"did you mean `{meant}`?" if meant else f"known here: {', '.join(sorted(entry.level.keys))}"


RULE = ConfigRule("GPU303", "config-keys", _check)
