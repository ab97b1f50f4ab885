"""Reads expected.yaml: labels written out, arithmetic worked out."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

Labels = tuple[tuple[str, str], ...]
Vector = dict[Labels, float]

_FILE = Path(__file__).with_name("expected.yaml")
_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


@dataclass(frozen=True)
class Firing:
    """An alert that must fire: its labels besides those that the rule sets, and texts; None is not looked at."""

    alert: str
    labels: Labels
    summary: str
    description: str | None


@dataclass(frozen=True)
class Expected:
    """Everything that must come out."""

    panels: dict[str, list[Vector]]
    sums: dict[str, Vector]
    steps: dict[str, list[Firing]]


def read() -> Expected:
    """Return what the file says."""
    data = YAML(typ="safe").load(_FILE.read_text("utf-8"))
    cards = data["cards"]
    return Expected(
        {
            panel: [dict(_sample(item, cards) for item in query) for query in queries]
            for panel, queries in data["panels"].items()
        },
        {item["expr"]: {(): _number(item["value"])} for item in data["sums"]},
        {name: [_firing(item, cards) for item in alerts] for name, alerts in data["steps"].items()},
    )


def labels_of(found: dict[str, str]) -> Labels:
    """Return labels in one order, without a metric's name and empty ones."""
    return tuple(sorted((key, value) for key, value in found.items() if key != "__name__" and value))


def _sample(item: dict[str, Any], cards: dict[str, dict[str, str]]) -> tuple[Labels, float]:
    own = {key: value for key, value in item.items() if key not in {"of", "value"}}
    return labels_of({**cards.get(item.get("of", ""), {}), **own}), _number(item["value"])


def _firing(item: dict[str, str], cards: dict[str, dict[str, str]]) -> Firing:
    own = {key: value for key, value in item.items() if key not in {"of", "alert", "summary", "description"}}
    labels = labels_of({**cards.get(item.get("of", ""), {}), **own})
    return Firing(item["alert"], labels, item["summary"], item.get("description"))


def _number(value: float | str) -> float:
    """Work out a number or a sum of numbers; nothing else is evaluated."""
    return _worked_out(ast.parse(str(value), mode="eval").body)


def _worked_out(node: ast.expr) -> float:
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_worked_out(node.left), _worked_out(node.right))
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    raise ValueError(f"no arithmetic: {ast.dump(node)}")
