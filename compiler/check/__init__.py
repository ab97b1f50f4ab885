"""Rules: what is well-formed and would still fail at run time."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from compiler.check import rules
from compiler.check.rule import BaseRule, Rule, SceneRule
from compiler.check.scene import Scene
from compiler.diagnostics import Diagnostic, sorted_unique
from compiler.model.environment import Project

R = TypeVar("R", bound=BaseRule[Any])


@cache
def all_rules() -> tuple[BaseRule[Any], ...]:
    """Return every rule, by code."""
    modules = (import_module(f"{rules.__name__}.{found.name}") for found in pkgutil.iter_modules(rules.__path__))
    return tuple(sorted((module.RULE for module in modules), key=lambda rule: rule.code))


def rules_on(kind: type[R]) -> tuple[R, ...]:
    """Return the rules on one kind of subject, by code."""
    return tuple(rule for rule in all_rules() if isinstance(rule, kind))


def check(project: Project) -> list[Diagnostic]:
    """Return what the rules find in what people wrote, in printing order."""
    return sorted_unique([found for rule in rules_on(Rule) for found in rule.run(project)])


def check_scene(scene: Scene) -> list[Diagnostic]:
    """Return what the rules find in finished objects, in printing order."""
    return sorted_unique([found for rule in rules_on(SceneRule) for found in rule.run(scene)])
