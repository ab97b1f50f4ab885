"""Label selectors in the string form that Kustomize's patch targets take."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_TOKEN = re.compile(r"\s*(==|!=|[=!(),<>]|[^\s=!(),<>]+)\s*")
_KEY = re.compile(r"(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?/)?[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?", re.ASCII)
_VALUE = re.compile(r"(?:[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?)?", re.ASCII)
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}", re.ASCII)
_NEGATIONS = {"!=", "notin"}


@dataclass(frozen=True)
class Requirement:
    """One term of a selector: `operator` is exists, !, in, notin, =, !=, < or >."""

    key: str
    operator: str
    values: frozenset[str] = frozenset()

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Return whether labels satisfy the term."""
        value = labels.get(self.key)
        if self.operator in {"exists", "!"}:
            return (value is None) == (self.operator == "!")
        if self.operator in {"<", ">"}:
            (bound,) = self.values
            if value is None or not _INTEGER.fullmatch(value):
                return False
            return int(value) < int(bound) if self.operator == "<" else int(value) > int(bound)
        return (value in self.values) != (self.operator in _NEGATIONS)


def matches_labels(selector: str, labels: Mapping[str, str]) -> bool:
    """Return whether labels satisfy a selector such as `app=x,tier in (a, b),!legacy`.

    Raises ValueError as `parse_selector` does.
    """
    return all(requirement.holds(labels) for requirement in parse_selector(selector))


def parse_selector(selector: str) -> list[Requirement]:
    """Return the terms of a selector, all of which must hold; an empty one has none.

    Raises ValueError, with what is wrong, where Kustomize would refuse it. Source: k8s.io/apimachinery/pkg/labels,
    Parse, which Kustomize carries a copy of.
    """
    tokens = _TOKEN.findall(selector)
    if not tokens:
        return []
    found = []
    while True:
        found.append(_requirement(tokens))
        if not tokens:
            return found
        _expect(tokens, ",")


def _requirement(tokens: list[str]) -> Requirement:
    absent = tokens[:1] == ["!"]
    if absent:
        del tokens[0]
    key = tokens.pop(0) if tokens else ""
    if not _KEY.fullmatch(key):
        raise ValueError(f"{key!r} is not a label's key")
    if absent:
        return Requirement(key, "!")
    if not tokens or tokens[0] == ",":
        return Requirement(key, "exists")
    operator = tokens.pop(0).replace("==", "=")
    if operator in {"in", "notin"}:
        return Requirement(key, operator, _values(tokens))
    if operator not in {"=", "!=", "<", ">"}:
        raise ValueError(f"{operator!r} stands where an operator is due: one of =, ==, !=, in, notin, < and >")
    value = tokens.pop(0) if tokens and tokens[0] != "," else ""
    if operator in {"<", ">"} and not _INTEGER.fullmatch(value):
        raise ValueError(f"{value!r} is not an integer to compare with")
    return Requirement(key, operator, frozenset({_checked(value)}))


def _values(tokens: list[str]) -> frozenset[str]:
    """Read `(a, b)`; nothing between two separators is an empty value."""
    _expect(tokens, "(")
    values = [""]
    while tokens and tokens[0] != ")":
        item = tokens.pop(0)
        if item == ",":
            values.append("")
        elif values[-1]:
            raise ValueError(f"a comma is missing before {item!r}")
        else:
            values[-1] = _checked(item)
    _expect(tokens, ")")
    return frozenset(values)


def _checked(value: str) -> str:
    if not _VALUE.fullmatch(value):
        raise ValueError(f"{value!r} is not a label's value")
    return value


def _expect(tokens: list[str], wanted: str) -> None:
    found = tokens.pop(0) if tokens else "its end"
    if found != wanted:
        raise ValueError(f"{found!r} stands where {wanted!r} is due")
