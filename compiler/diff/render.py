"""Prints a comparison for people: on a terminal, and as a comment in a pull request.

Objects with the same change are told once, and changes of mere labels in one line, so that a change of one line in the
inputs fits on a screen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from compiler.diff.compare import Change
from compiler.diff.effect import Effect, listed
from compiler.diff.fields import ABSENT, FieldChange
from compiler.objects import Json

MARKER = "<!-- gpuc diff -->"
"""First line of the comment in a pull request, by which the workflow finds the one to update."""
SCREEN = 40
"""Lines of a terminal's screen."""
_LIMIT = 60_000
"""GitHub refuses comments of more than 65,536 characters."""
_SIGNS = {"added": "+", "removed": "-", "changed": "~"}
_FIELDS = 12
_SENTENCES = 15
_LONGEST = 72
_CONTEXT = 12


def as_text(changes: Sequence[Change], effects: Sequence[Effect], *, full: bool = False) -> str:
    """Return the comparison for a terminal: one screen, unless all is asked for."""
    if not changes and not effects:
        return "nothing changes on the cluster\n"
    room = None if full else SCREEN
    lines = [f"{'!' if _grave(effect) else '*'} {effect.text}" for effect in _few(effects, full=full)]
    lines += [f"* {_counted(changes)}"] if changes else []
    details = list(_details(changes, None if full else _FIELDS))
    if room and len(lines) + 1 + len(details) > room:
        kept = max(room - len(lines) - 2, _FIELDS)
        details = [*details[:kept], f"... {len(details) - kept} more lines: --full shows them"]
    return "\n".join([*lines, "", *details] if details else lines) + "\n"


def as_markdown(changes: Sequence[Change], effects: Sequence[Effect]) -> str:
    """Return the comparison as a comment: what it means first, the fields folded away, within GitHub's size limit."""
    if not changes and not effects:
        return f"{MARKER}\n### GPU stack\n\nNothing changes on the cluster.\n"
    parts = [MARKER, "### GPU stack", ""]
    parts += [f"- {_bold(effect) if _grave(effect) else _escaped(effect.text)}" for effect in _few(effects)]
    if not changes:
        return "\n".join(parts) + "\n"
    parts += ["", f"<details><summary>{_counted(changes)}</summary>", ""]
    size = sum(len(part.encode()) + 1 for part in parts)
    body = []
    for line in _details(changes, _FIELDS):
        shown = _sign_first(line)
        if size + len(shown.encode()) > _LIMIT:
            body.append("... and more: `gpuc diff --full` shows all")
            break
        body.append(shown)
        size += len(shown.encode()) + 1
    fence = "`" * max(3, 1 + max((len(run) for line in body for run in re.findall("`+", line)), default=0))
    return "\n".join([*parts, f"{fence}diff", *body, fence, "", "</details>"]) + "\n"


def _grave(effect: Effect) -> bool:
    return effect.weight in {"breaks", "interrupts"}


def _few(effects: Sequence[Effect], *, full: bool = False) -> list[Effect]:
    if full or len(effects) <= _SENTENCES:
        return list(effects)
    return [*effects[:_SENTENCES], Effect("note", f"{len(effects) - _SENTENCES} more: `gpuc diff --full` says them")]


def _sign_first(line: str) -> str:
    """Put the sign into the first column, which is what GitHub colours."""
    match = re.match(r"( *)([-+]) ", line)
    return f"{match[2]}{match[1]} {line[match.end() :]}" if match else line


def _details(changes: Sequence[Change], most: int | None) -> Iterator[str]:
    """Yield the lines on objects by root: what came and went, then each change of fields with its objects."""
    for root in dict.fromkeys(change.root for change in changes if not change.noise):
        yield root or "objects"
        here = [change for change in changes if change.root == root and not change.noise]
        for kind in ("added", "removed"):
            if some := [change for change in here if change.kind == kind]:
                yield f"  {_SIGNS[kind]} {_names(some)}"
        for names, found in _changed([change for change in here if change.kind == "changed"]):
            yield f"  {_SIGNS['changed']} {names}"
            rows = [row for item in found for row in _rows(item)]
            yield from rows if most is None else rows[: most * 2]
            if most is not None and len(rows) > most * 2:
                yield f"      and {len(rows) - most * 2} more lines"
    noise = [str(change.id) for change in changes if change.noise]
    if noise:
        yield f"labels or annotations only: {listed(noise, 6)}"


def _changed(changes: Sequence[Change]) -> Iterator[tuple[str, list[FieldChange]]]:
    """Yield fields that change in the same way in the same objects, with the objects' names."""
    objects: dict[str, list[Change]] = {}
    first: dict[str, FieldChange] = {}
    for change in changes:
        for item in change.fields:
            objects.setdefault(repr(item), []).append(change)
            first[repr(item)] = item
    together: dict[str, list[FieldChange]] = {}
    for key, same in objects.items():
        together.setdefault(_names(same), []).append(first[key])
    yield from together.items()


def _names(same: Sequence[Change]) -> str:
    """Return objects' names, those of one kind and namespace together."""
    groups: dict[tuple[str, str], list[str]] = {}
    for change in same:
        groups.setdefault((change.id.kind, change.id.namespace), []).append(change.id.name)
    return "; ".join(
        f"{kind} {listed(names, 6)}{f' ({namespace})' if namespace else ''}"
        for (kind, namespace), names in groups.items()
    )


def _rows(item: FieldChange) -> Iterator[str]:
    """Yield a field as lines: what goes with a minus, what comes with a plus, one line where both are short."""
    old, new = _shown_pair(item.old, item.new)
    if item.old is ABSENT and item.new is ABSENT:
        yield f"      {item.path}"
    elif item.old is ABSENT:
        yield f"      + {item.path}: {new}"
    elif item.new is ABSENT:
        yield f"      - {item.path}: {old}"
    else:
        yield f"      - {item.path}: {old}"
        yield f"      + {item.path}: {new}"


def _shown_pair(old: Json, new: Json) -> tuple[str, str]:
    """Return both values as text; of long ones the part that differs."""
    left, right = _text(old), _text(new)
    if max(len(left), len(right)) <= _LONGEST:
        return left, right
    if old is ABSENT or new is ABSENT:
        return _cut(left), _cut(right)
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    start = max(0, start - _CONTEXT)
    lead = "…" if start else ""
    return _cut(lead + left[start:]), _cut(lead + right[start:])


def _text(value: Json) -> str:
    return "" if value is ABSENT else json.dumps(value, ensure_ascii=False)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _counted(changes: Sequence[Change]) -> str:
    counts = [(kind, sum(change.kind == kind for change in changes)) for kind in ("added", "changed", "removed")]
    told = [f"{count} object{'s' if count != 1 else ''} {kind}" for kind, count in counts if count]
    return ", ".join(told) or "no object changed"


def _bold(effect: Effect) -> str:
    return f"**{_escaped(effect.text)}**"


def _escaped(text: str) -> str:
    """Keep names from being read as Markdown, HTML or mentions; code spans stay."""
    spans = re.split(r"(`[^`\n]*`)", text)
    return "".join(
        span if number % 2 else re.sub(r"([\\*_\[\]<>&|~#@!])", _entity, span) for number, span in enumerate(spans)
    ).replace("\n", " ")


def _entity(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"
