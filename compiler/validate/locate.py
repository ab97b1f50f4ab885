"""Finds the line of a field in a file that gpuc wrote, when there is something to say about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode

from compiler.diagnostics import Place

_STEPS: Final = 100  # no manifest is deeper


def at_line(path: str, text: str, line: int) -> Place:
    """Return the place of a whole line (counted from 1) of a text."""
    lines = text.splitlines()
    source = lines[line - 1] if 0 < line <= len(lines) else ""
    column = len(source) - len(source.lstrip()) + 1
    return Place(path, line, column, max(1, len(source) - column + 1), source)


def at_route(path: str, text: str, route: Sequence[str]) -> Place:
    """Return the place of the field at a route in the one document of a text.

    A route's segments are keys and list indexes, both as text. Where the route leads past what is there, the place is
    that of the last segment that exists; for a text that is no YAML, its first line.
    """
    try:
        node = YAML(typ="safe", pure=True).compose(text)
    except YAMLError:
        return at_line(path, text, 1)
    line = node.start_mark.line + 1 if node is not None else 1
    for segment in route[:_STEPS]:
        found = _step(node, segment)
        if found is None:
            break
        mark, node = found
        line = mark.start_mark.line + 1
    return at_line(path, text, line)


def _step(node: Node | None, segment: str) -> tuple[Node, Node] | None:
    """Return the node whose line says where a segment is (a mapping's key), and the value below it."""
    if isinstance(node, MappingNode):
        for key, value in node.value:
            if key.value == segment:
                return key, value
    elif isinstance(node, SequenceNode) and segment.isdecimal() and int(segment) < len(node.value):
        item = node.value[int(segment)]
        return item, item
    return None
