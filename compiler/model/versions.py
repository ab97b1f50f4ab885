"""Versions of the components that were looked at: what their images read, publish and need is known.

NFD's CRDs travel with its version, so another NFD version is an error. Another image version of the others is a
warning: it most likely works, and nobody has checked.
"""

from __future__ import annotations

from typing import Final, Literal

KubernetesVersion = Literal["1.29", "1.30", "1.31", "1.32", "1.33", "1.34", "1.35", "1.36", "1.37"]
NODE_FEATURE_DISCOVERY: Final[tuple[str, ...]] = ("v0.19.0",)
DEVICE_PLUGIN: Final[tuple[str, ...]] = ("v0.19.3", "v0.20.0")
DCGM_EXPORTER: Final[tuple[str, ...]] = ("4.5.3-4.8.2-distroless",)
