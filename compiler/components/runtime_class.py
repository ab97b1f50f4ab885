"""The RuntimeClass, the only way in which NVML is injected on Talos: its libraries sit in a squashfs."""

from __future__ import annotations

from compiler.components.api import Component, Context
from compiler.components.pods import metadata
from compiler.model.stack import GPUStack
from compiler.objects import Obj


class RuntimeClass(Component):
    """Talos registers the handler with containerd but ships no RuntimeClass."""

    name = "runtime-class"

    def enabled(self, stack: GPUStack) -> bool:
        """Whether gpuc makes the RuntimeClass."""
        return stack.runtime_class.managed == "gpuc"

    def shared(self, context: Context) -> list[Obj]:
        """Return the RuntimeClass."""
        settings = context.stack.runtime_class
        return [
            {
                "apiVersion": "node.k8s.io/v1",
                "kind": "RuntimeClass",
                "metadata": metadata(settings.name, None, {"app.kubernetes.io/managed-by": "gpuc"}),
                "handler": settings.handler,
            }
        ]


COMPONENT = RuntimeClass()
