"""Image-factory schematics and their IDs, computed offline.

The ID is the SHA-256 of the schematic as Go's YAML encoder writes it: four spaces, sequences indented under their key,
a fixed order of keys, and a newline at the end. Source: github.com/siderolabs/image-factory, pkg/schematic.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


def schematic(extensions: Sequence[str] = (), kernel_args: Sequence[str] = ()) -> str:
    """Return the text of a schematic. Lists keep their order, which is part of the ID.

    The model admits only names and arguments that Go's encoder writes without quotes.
    """
    lines = []
    if kernel_args:
        lines += ["    extraKernelArgs:", *(f"        - {argument}" for argument in kernel_args)]
    if extensions:
        lines += ["    systemExtensions:", "        officialExtensions:"]
        lines += [f"            - {extension}" for extension in extensions]
    return "\n".join(["customization:", *lines]) + "\n" if lines else "customization: {}\n"


def schematic_id(text: str) -> str:
    """Return the ID that the image factory gives to a schematic: 64 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()
