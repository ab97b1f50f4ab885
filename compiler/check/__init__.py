"""Rules: what is well-formed and would still fail at run time."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from compiler.check import rules
from compiler.check.ignores import Entry, without_ignored
from compiler.check.pluginconfig import PluginConfig, plugin_configs
from compiler.check.rule import BaseRule, ConfigRule, Found, IgnoreRule, Rule, SceneRule, UsedIgnores
from compiler.check.scene import Scene
from compiler.diagnostics import Diagnostic, sorted_unique
from compiler.model.environment import Project

R = TypeVar("R", bound=BaseRule[Any])


@dataclass(frozen=True)
class Checked:
    """What rules found and nobody accepts, in printing order, and the `ignore` entries that were of use."""

    diagnostics: list[Diagnostic]
    used: frozenset[Entry] = frozenset()


@cache
def all_rules() -> tuple[BaseRule[Any], ...]:
    """Return every rule, by code."""
    modules = (import_module(f"{rules.__name__}.{found.name}") for found in pkgutil.iter_modules(rules.__path__))
    return tuple(sorted((module.RULE for module in modules), key=lambda rule: rule.code))


def rules_on(kind: type[R]) -> tuple[R, ...]:
    """Return the rules on one kind of subject, by code."""
    return tuple(rule for rule in all_rules() if isinstance(rule, kind))


def ignorable() -> frozenset[str]:
    """Return the codes that an overlay's `ignore` may name."""
    return frozenset(rule.code for rule in all_rules() if rule.ignorable)


def check(project: Project) -> Checked:
    """Return what the rules find in what people wrote."""
    return _accepted(project, [found for rule in rules_on(Rule) for found in rule.found(project)])


def check_scene(scene: Scene) -> list[Diagnostic]:
    """Return what the rules find in finished objects and in the plugin's configuration there, in printing order."""
    found = [found for rule in rules_on(SceneRule) for found in rule.run(scene)]
    for config in plugin_configs(scene):
        found += check_config(config)
    return sorted_unique(found)


def check_config(config: PluginConfig) -> list[Diagnostic]:
    """Return what the rules find in a configuration of the device plugin, in printing order."""
    return sorted_unique([found for rule in rules_on(ConfigRule) for found in rule.run(config)])


def check_scenes(project: Project, scenes: Iterable[tuple[str, Scene]]) -> Checked:
    """Return what the rules find in what the environments compile to, each by its name with its scene."""
    found = [Found(environment, diagnostic) for environment, scene in scenes for diagnostic in check_scene(scene)]
    return _accepted(project, found)


def unused_ignores(project: Project, used: frozenset[Entry]) -> list[Diagnostic]:
    """Return a finding for every `ignore` entry that took nothing away, once all other rules have run."""
    subject = UsedIgnores(project, used)
    return sorted_unique([found for rule in rules_on(IgnoreRule) for found in rule.run(subject)])


def _accepted(project: Project, found: Iterable[Found]) -> Checked:
    kept = without_ignored(project, found, ignorable())
    return Checked(sorted_unique([item.diagnostic for item in kept.found]), kept.used)
