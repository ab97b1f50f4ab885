"""A chart's value is of a type that the chart cannot use.

What it does: compares the values with the types that the charts' templates need.

Why it fails at run time: a template writes what it is given. `extraEnv` as a mapping puts the variable's name among the
fields of the container, and the variable is never set; the text "false" counts as true; the device plugin's chart asks
for exactly a text or a boolean, and leaves out whatever else it finds. Source: the charts' templates.

How to mend it: write the value in the form that the message shows.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.chartvalues import ChartRule, ChartValues, Setting, settings
from compiler.check.rule import Finding
from compiler.objects import Json

_WANTED = {
    "text": "text",
    "boolean": "true or false",
    "number": "a number",
    "list": "a list",
    "mapping": "a mapping",
}
_LONGEST = 60


def _check(values: ChartValues) -> Iterator[Finding]:
    for setting in settings(values):
        if setting.key is None or setting.value is None or _fits(setting):
            continue
        name = ".".join(str(part) for part in setting.route)
        yield Finding(
            f"`{name}` must be {_WANTED[setting.key.kind]}, not {_is(setting.value)}: {_effect(setting)}",
            values.place(setting.route, key=isinstance(setting.value, dict | list)),
            _cure(setting, name),
        )


def _fits(setting: Setting) -> bool:
    assert setting.key is not None  # noqa: S101 -- only known keys are judged
    value = setting.value
    match setting.key.kind:
        case "text":
            return isinstance(value, str) or (not setting.key.strict and isinstance(value, int | float))
        case "boolean":
            return isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) or (isinstance(value, str) and value.isdecimal())
        case "list":
            return isinstance(value, list)
        case "mapping":
            return isinstance(value, dict)
        case _:
            return True


def _is(value: Json) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    return f"the text {_short(value)}" if isinstance(value, str) else f"the number {value}"


def _short(text: str) -> str:
    line = text.partition("\n")[0]
    return f"`{line[:_LONGEST]}...`" if line != text or len(line) > _LONGEST else f"`{line}`"


def _is_env(setting: Setting) -> bool:
    return setting.path.rpartition(".")[2] in {"extraEnv", "extraEnvs"} and isinstance(setting.value, dict)


def _effect(setting: Setting) -> str:
    assert setting.key is not None  # noqa: S101 -- only known keys are judged
    if _is_env(setting) and setting.value:
        return f"{next(iter(setting.value))} becomes a field of the container, and the variable is never set"
    if setting.key.strict:
        return "the chart leaves out whatever else it finds, without a word"
    if setting.key.kind == "boolean" and isinstance(setting.value, str):
        return "a template takes every text but an empty one for true"
    return "the chart cannot be rendered, or Kubernetes refuses what it renders"


def _cure(setting: Setting, name: str) -> str:
    value, key = setting.value, setting.key
    assert key is not None  # noqa: S101 -- only known keys are judged
    if _is_env(setting):
        shown = ", ".join(f'{{name: {variable}, value: "{_plain(item)}"}}' for variable, item in value.items())
        return f"write a list: {name}: [{shown}]"
    if key.kind == "text" and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return f"join them by commas: {','.join(value)}"
    if key.kind == "boolean" and isinstance(value, str) and value.lower() in {"true", "false"}:
        return f"write it without quotes: {value.lower()}"
    if key.kind == "list" and isinstance(value, dict | str) and value:
        return "put `- ` in front of it, so that it is a list of one"
    if key.kind == "text" and not isinstance(value, dict | list):
        return "put quotes around it"
    return f"write {_WANTED[key.kind]}"


def _plain(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


RULE = ChartRule("GPU602", "values-types", _check)
