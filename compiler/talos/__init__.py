"""What a pool's nodes need of Talos: the image with the driver, and the machine configuration that loads it."""

from compiler.talos.image import Image, pool_image
from compiler.talos.output import add

__all__ = ["Image", "add", "pool_image"]
