"""Rules on the models: what is well-formed and would still fail at run time."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from compiler.check import rules
from compiler.check.rule import Rule
from compiler.diagnostics import Diagnostic, sorted_unique
from compiler.model.environment import Project


def all_rules() -> tuple[Rule, ...]:
    """Return every rule, by code."""
    modules = (import_module(f"{rules.__name__}.{found.name}") for found in pkgutil.iter_modules(rules.__path__))
    return tuple(sorted((module.RULE for module in modules), key=lambda rule: rule.code))


def check(project: Project) -> list[Diagnostic]:
    """Return what the rules find in a project, in printing order."""
    return sorted_unique([found for rule in all_rules() for found in rule.run(project)])
