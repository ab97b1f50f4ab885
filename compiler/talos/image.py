"""The Talos image of a pool: its schematic with the driver, the one without, and the installer."""

from __future__ import annotations

from dataclasses import dataclass

from compiler.model.overlay import NodePool
from compiler.model.stack import Platform, TalosPlatform
from compiler.talos.schematic import schematic, schematic_id

FACTORY = "factory.talos.dev"


@dataclass(frozen=True)
class Image:
    """A pool's image.

    `text` is the schematic and `id` its ID; `base_id` is the ID of the same schematic without driver and toolkit: a
    node that booted it has no kernel modules, and the plugin logs "Failed to initialize NVML". `installer` is the
    reference that `talosctl upgrade` takes.
    """

    text: str
    id: str
    base_id: str
    installer: str


def pool_image(pool: NodePool, stack_platform: Platform) -> Image | None:
    """Return the image of a pool's nodes, or None where they do not run Talos or the pool says nothing of it."""
    platform = pool.platform or stack_platform
    settings = pool.talos
    if settings is None or not isinstance(platform, TalosPlatform):
        return None
    own = set(settings.extensions)
    text = schematic(sorted(own | set(settings.driver_extensions)), settings.extra_kernel_args)
    base = schematic(sorted(own - set(settings.driver_extensions)), settings.extra_kernel_args)
    installer = f"{settings.image_platform}-installer" + ("-secureboot" if settings.secure_boot else "")
    identity = schematic_id(text)
    return Image(text, identity, schematic_id(base), f"{FACTORY}/{installer}/{identity}:{platform.version}")
