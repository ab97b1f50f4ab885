"""A Talos machine is to write a file where it may not.

What it does: looks for `machine.files` with a path outside /var. /etc/cri/conf.d/20-customization.part, by which
containerd's configuration is extended, is allowed.

Why it fails at run time: the root file system is read-only. Since Talos 1.10 the configuration is refused; before, the
file was not written. Source: Talos' release notes for 1.10.

How to mend it: write below /var, or use the setting that Talos has for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import normpath

from compiler.check.rule import Finding
from compiler.check.talosfile import TalosFile, TalosRule

CONTAINERD = "/etc/cri/conf.d/20-customization.part"
_REFUSED_SINCE = (1, 10)


def _check(file: TalosFile) -> Iterator[Finding]:
    if file.version is not None and file.version < _REFUSED_SINCE:
        return
    for piece in file.pieces:
        files = piece.at("machine", "files")
        for index, item in enumerate(files if isinstance(files, list) else []):
            path = item.get("path") if isinstance(item, dict) else None
            if not isinstance(path, str) or not path or path == CONTAINERD:
                continue
            if not normpath(path).startswith("/var/"):
                yield Finding(
                    f"Talos refuses to write {path}: since 1.10 files go below /var only, and the whole configuration "
                    "is refused",
                    piece.place(("machine", "files", index, "path")),
                    f"write below /var; containerd is extended by {CONTAINERD}, which is allowed",
                )


RULE = TalosRule("GPU703", "talos-files", _check)
