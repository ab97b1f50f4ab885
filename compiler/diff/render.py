"""Prints a comparison: for a terminal, for a pull request, for machines."""

from __future__ import annotations

import json
from collections.abc import Sequence

from compiler.diff.compare import Change, FieldChange
from compiler.diff.meaning import Effect

MARKER = "<!-- gpuc diff -->"
"""First line of the comment in a pull request, by which the workflow finds the one to update."""
_LIMIT = 60_000
"""GitHub refuses comments of more than 65,536 characters."""
_SIGNS = {"added": "+", "removed": "-", "changed": "~"}
_FIELDS = 20


def as_text(changes: Sequence[Change], effects: Sequence[Effect]) -> str:
    """Return the comparison for a terminal."""
    if not changes and not effects:
        return "nothing changes on the cluster\n"
    lines = [f"{_prefix(effect)}{effect.text}" for effect in effects]
    root = None
    for change in changes:
        if change.root != root:
            root = change.root
            lines += ["", root or "objects"]
        lines.append(f"  {_SIGNS[change.kind]} {change.id}")
        lines += [f"      {_field(item)}" for item in change.fields[:_FIELDS]]
        if len(change.fields) > _FIELDS:
            lines.append(f"      and {len(change.fields) - _FIELDS} more fields")
    return "\n".join(lines).lstrip("\n") + "\n"


def _prefix(effect: Effect) -> str:
    return {"breaks": "! ", "interrupts": "! "}.get(effect.weight, "* ")


def _field(item: FieldChange) -> str:
    if not item.old:
        return f"{item.path}: + {item.new}"
    return f"{item.path}: {item.old} -> {item.new}" if item.new else f"{item.path}: - {item.old}"


def as_markdown(changes: Sequence[Change], effects: Sequence[Effect]) -> str:
    """Return the comparison as a comment: what it means first, the fields folded away, within GitHub's size limit."""
    if not changes and not effects:
        return f"{MARKER}\n### GPU stack\n\nNothing changes on the cluster.\n"
    parts = [MARKER, "### GPU stack", ""]
    parts += [
        f"- {'**' if effect.weight in {'breaks', 'interrupts'} else ''}{_escaped(effect.text)}"
        f"{'**' if effect.weight in {'breaks', 'interrupts'} else ''}"
        for effect in effects
    ]
    parts += ["", f"<details><summary>{_counted(changes)}</summary>", ""]
    size = sum(len(part) + 1 for part in parts)
    for number, change in enumerate(changes):
        block = _markdown(change)
        if size + len(block) > _LIMIT:
            parts.append(f"... and {len(changes) - number} more objects; `gpuc diff` shows them all.")
            break
        parts.append(block)
        size += len(block) + 1
    return "\n".join([*parts, "", "</details>"]) + "\n"


def _markdown(change: Change) -> str:
    rows = [f"  {_field(item)}" for item in change.fields[:_FIELDS]]
    if len(change.fields) > _FIELDS:
        rows.append(f"  and {len(change.fields) - _FIELDS} more fields")
    body = "\n".join([f"{_SIGNS[change.kind]} {change.id}", *rows]).replace("```", "` ` `")
    return f"```diff\n{body}\n```"


def _counted(changes: Sequence[Change]) -> str:
    counts = [(kind, sum(change.kind == kind for change in changes)) for kind in ("added", "changed", "removed")]
    return (
        ", ".join(f"{count} object{'s' if count != 1 else ''} {kind}" for kind, count in counts if count) or "no object"
    )


def _escaped(text: str) -> str:
    """Keep names from being read as Markdown or HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("@", "@\u200b")


def as_json(changes: Sequence[Change], effects: Sequence[Effect]) -> str:
    """Return the comparison for machines."""
    return (
        json.dumps(
            {
                "effects": [{"weight": effect.weight, "text": effect.text} for effect in effects],
                "changes": [
                    {
                        "change": change.kind,
                        "root": change.root,
                        "apiVersion": change.id.api_version,
                        "kind": change.id.kind,
                        "namespace": change.id.namespace,
                        "name": change.id.name,
                        "restarts": change.rolled
                        or any(item.path.startswith("spec.template") for item in change.fields),
                        "fields": [{"path": item.path, "old": item.old, "new": item.new} for item in change.fields],
                    }
                    for change in changes
                ],
            },
            indent=2,
            ensure_ascii=False,
        )
        + "\n"
    )
