"""The components of the stack, one module each; a module that defines `COMPONENT` is one."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from compiler.components.api import Component


def all_components() -> tuple[Component, ...]:
    """Return every component, by name."""
    modules = (import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__))
    return tuple(sorted((m.COMPONENT for m in modules if hasattr(m, "COMPONENT")), key=lambda c: c.name))
