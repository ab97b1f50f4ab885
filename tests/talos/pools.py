"""Node pools, as small as they can be."""

from __future__ import annotations

from typing import Any

from compiler.model.overlay import NodePool

BASE = ["siderolabs/iscsi-tools", "siderolabs/qemu-guest-agent", "siderolabs/util-linux-tools"]


def pool(**settings: Any) -> NodePool:
    """Return a pool of one node that runs Talos."""
    content = {"name": "a", "nodes": [{"name": "n1"}], "talos": {}} | settings
    return NodePool.model_validate(content, strict=False)
