"""What `gpuc lint` shows to people: findings by what they mean, what was looked at, and what had to be assumed."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

from compiler.check.chartvalues import ChartValues
from compiler.cli.render import Format, render, safe, summary
from compiler.diagnostics import Diagnostic
from compiler.lint.judge import Judgement
from compiler.lint.meaning import grouped
from compiler.lint.sight import Sight

_WIDTH = 100
_MOST_PLACES = 4


def screen(sight: Sight, judgement: Judgement) -> str:
    """Return the whole text for a run that looked at something."""
    parts = []
    for heading, findings in grouped(judgement.diagnostics):
        parts.append(f"{heading}\n{'=' * len(heading)}\n")
        parts += [_alike(alike) for alike in findings]
    said = summary(judgement.diagnostics) or "nothing found"
    parts.append(f"{said}; looked at {looked_at(sight)}\n")
    parts += [_note("assumed", line) for line in judgement.assumptions]
    parts += _left_out(sight)
    return "".join(parts)


def nothing(sight: Sight) -> str:
    """Return what to say where there was nothing to look at."""
    text = (
        "nothing to lint: no Kubernetes object, no values of the three charts, no configuration of the device plugin "
        f"and no Talos patch in {_count(sight.files, 'file')}; "
        "name the chart of a bare values file with --chart"
    )
    return "\n".join([fill(text, _WIDTH), *[note.rstrip("\n") for note in _left_out(sight)]])


def looked_at(sight: Sight) -> str:
    """Return what rules looked at: `31 objects, values of dcgm-exporter, 1 configuration in 3 files`."""
    parts = [_count(len(sight.objects), "object")] if sight.objects else []
    if sight.charts:
        parts.append(f"values of {_charts(sight.charts)}")
    if sight.configs:
        parts.append(
            _count(len(sight.configs), "configuration of the device plugin", "configurations of the device plugin")
        )
    if sight.talos:
        parts.append(_count(len(sight.talos), "Talos file"))
    return f"{', '.join(parts) or 'nothing'} in {_count(sight.files, 'file')}"


def _charts(charts: Sequence[ChartValues]) -> str:
    names = [values.chart.name for values in charts]
    return " and ".join(
        name + (f" ({names.count(name)} times)" if names.count(name) > 1 else "") for name in dict.fromkeys(names)
    )


def _alike(alike: Sequence[Diagnostic]) -> str:
    """Return findings of one rule with one cure: the first in full, the others by their places."""
    first, *others = sorted(alike, key=lambda found: not found.is_error)
    text = render([first], Format.TEXT)
    if not others:
        return text
    lines = [f"   and {len(others)} more of the same:"]
    for found in others[:_MOST_PLACES]:
        subject = safe(found.message).partition(":")[0]
        lines.append(
            f"   --> {safe(str(found.place))}: {subject if len(subject) <= _WIDTH else subject[:_WIDTH] + '...'}"
        )
    if len(others) > _MOST_PLACES:
        rest = [found.place for found in others[_MOST_PLACES:] if found.place]
        lines.append(
            f"   --> and lines {', '.join(str(place.line) for place in rest)}" if _one_file(alike) else "   --> ..."
        )
    return text.rstrip("\n") + "\n" + "\n".join(lines) + "\n\n"


def _one_file(alike: Sequence[Diagnostic]) -> bool:
    return len({found.place.path for found in alike if found.place}) == 1


def _note(word: str, text: str) -> str:
    return fill(safe(text), _WIDTH, initial_indent=f"{word}: ", subsequent_indent=" " * (len(word) + 2)) + "\n"


def _left_out(sight: Sight) -> list[str]:
    found = list(dict.fromkeys(sight.left_out))
    notes = [_note("left out", line) for line in found[:_MOST_PLACES]]
    if len(found) > _MOST_PLACES:
        notes.append(f"left out: {len(found) - _MOST_PLACES} more files\n")
    return notes


def _count(number: int, word: str, several: str = "") -> str:
    return f"{number} {word if number == 1 else several or word + 's'}"
