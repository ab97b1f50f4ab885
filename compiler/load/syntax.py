"""Turns a YAML parser's complaint into a finding that says what to do.

Both of ruamel.yaml's parsers are understood: they find the same mistakes and word them differently.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from compiler.diagnostics import Diagnostic, Place, Related
from compiler.load import rules
from compiler.load.document import place_at
from compiler.load.rules import Rule

_CONFLICT: Final = re.compile(r"(<{7}|={7}|>{7})( |$)")


class _Cure(NamedTuple):
    """How to explain complaints that match `pattern`; `at_context` points to where the construct began."""

    pattern: re.Pattern[str]
    message: str
    help: str
    at_context: bool = False
    rule: Rule = rules.SYNTAX


def _cure(pattern: str, message: str, help_: str, *, at_context: bool = False, rule: Rule = rules.SYNTAX) -> _Cure:
    return _Cure(re.compile(pattern), message, help_, at_context, rule)


# Matched in order against "context: problem".
_CURES: Final = (
    _cure(r"tab character|character '\\t'", "a tab is used for indentation", "Use spaces.", rule=rules.TAB),
    _cure(
        r"mapping values are not allowed",
        "a `:` is not allowed here: the value is on this line already, or the line is indented too far",
        "Line the key up with the keys above, or quote the value if the `:` belongs to it.",
    ),
    _cure(
        r"could not find expected ':'",
        "this line is neither `key: value` nor part of what stands above it",
        "Add the missing `:`, or indent the line below the key that it belongs to.",
        at_context=True,
    ),
    _cure(
        r"quoted scalar.*end of stream",
        "this quote is never closed",
        "Add the closing quote.",
        at_context=True,
    ),
    _cure(
        r"quoted scalar.*document (separator|indicator)",
        "this quote is not closed before a new document begins",
        "Add the closing quote.",
        at_context=True,
    ),
    _cure(
        r"flow sequence.*expected ',' or '\]'",
        "this `[` is not closed: a `,` or `]` is missing further on",
        "Close it with `]`, or separate the items with commas.",
        at_context=True,
    ),
    _cure(
        r"flow mapping.*expected ',' or '\}'",
        "this `{` is not closed: a `,` or `}` is missing further on",
        "Close it with `}`, or separate the fields with commas.",
        at_context=True,
    ),
    _cure(
        r"unexpected ':'",
        "a `:` inside an unquoted value in `[]` or `{}`",
        "Put quotes around the value, or a space behind the `:` if it ends a key.",
    ),
    _cure(
        r"cannot start any token",
        "no unquoted value can begin with this character",
        "Put quotes around the whole value.",
    ),
    _cure(
        r"unknown escape character|[Uu]nicode character escape|hexadecimal|escape sequence",
        "not an escape that YAML knows inside double quotes",
        "Double the backslash, or use single quotes, in which it means itself.",
    ),
    _cure(
        r"scanning an? (alias|anchor)",
        "an unquoted value that begins with `*` or `&` is an alias or anchor",
        'Put quotes around it, for example "*".',
        at_context=True,
    ),
    _cure(
        r"sequence entries are not allowed",
        "a list's `-` cannot stand behind a key on the same line",
        "Begin the list on the next line.",
    ),
    _cure(
        r"tag",
        "a value that begins with `!` is a tag, which inputs do not allow",
        "Put quotes around the value, or delete the tag.",
        at_context=True,
        rule=rules.TAG,
    ),
    _cure(
        r"directive|incompatible YAML|version",
        "a line that begins with `%` is a directive, which inputs do not allow",
        "Delete the line; gpuc always reads YAML 1.2.",
        at_context=True,
        rule=rules.DIRECTIVE,
    ),
    _cure(
        r"expected '?<document start>",
        "the document has ended before this line",
        "Delete what ends it (`...`), or indent this line below its key.",
        rule=rules.SEVERAL_DOCUMENTS,
    ),
    _cure(
        r"block (collection|sequence).*('-' indicator|<block end>)",
        "this line is indented like the list above, but does not begin with `-`",
        "Begin it with `- `, or indent it to where it belongs.",
    ),
    _cure(
        r"block mapping.*(expected key|<block end>)",
        "this does not continue the mapping above: the indentation matches none of its keys, or a value goes on"
        " behind its closing quote",
        "Line it up with the keys that it belongs to, or put quotes around the whole value.",
    ),
    _cure(
        r"node content",
        "a value is missing here",
        "Write the value before this character, or delete the character.",
    ),
)


def explain(error: Any, path: str, lines: tuple[str, ...]) -> Diagnostic:
    """Return the finding for a parser's `error` (a YAMLError)."""
    conflict = next((i for i, line in enumerate(lines) if _CONFLICT.match(line)), None)
    if conflict is not None:
        return Diagnostic(
            rules.MERGE_CONFLICT.code,
            "the file holds both sides of a merge conflict",
            place_at(path, lines, conflict, 0, len(lines[conflict])),
            help="Keep the side that is meant, and delete the lines of <, = and >.",
        )
    context, problem = getattr(error, "context", None), getattr(error, "problem", None)
    mark, began = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    here = _place(mark or began, path, lines)
    text = f"{context or ''}: {problem or 'unreadable'}"
    if "cannot start any token" in text and here.text[here.column - 1 :].startswith("\t"):
        text = "tab character"
    for cure in _CURES:
        if cure.pattern.search(text):
            break
    else:
        return Diagnostic(rules.SYNTAX.code, f"not YAML: {text.removeprefix(': ')}", here, help="Mend the syntax here.")
    if cure.at_context and began is not None:
        start = _place(began, path, lines)
        related = (Related("reading stopped here", here),) if here.line != start.line else ()
        return Diagnostic(cure.rule.code, cure.message, start, help=cure.help, related=related)
    return Diagnostic(cure.rule.code, cure.message, here, help=cure.help)


def _place(mark: Any, path: str, lines: tuple[str, ...]) -> Place:
    return place_at(path, lines, mark.line, mark.column) if mark is not None else Place(path)
