"""What to do about a mistake in an input: what was most likely meant, in words that can be typed in."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

from compiler.model.base import Model
from compiler.model.describe import Location, elsewhere, keys_at, members_at, suggest
from compiler.model.overlay import Overlay
from compiler.model.stack import GPUStack

_HOMES: dict[type[Model], str] = {GPUStack: "base/stack.yaml", Overlay: "overlays/<name>/overlay.yaml"}

_NODES = "the nodes are chosen by `nodePools[].nodes` or `nodePools[].nodeSelector` in the overlay"
# Keys of the Helm charts, of Kubernetes and of Kustomize that people try, and what they are here.
_MEANT = {
    "affinity": _NODES,
    "compatWithCPUManager": "that is `passDeviceSpecs` here",
    "config": "sharing is `nodePools[].sharing` in the overlay; gpuc writes the plugin's configuration file from it",
    "extraEnv": "that is `env` here, a list of name and value",
    "gfd": "that is `gpuFeatureDiscovery` here, at the top of base/stack.yaml",
    "migStrategy": "that is `nodePools[].mig.strategy` in the overlay",
    "nfd": "that is `nodeFeatureDiscovery` here, at the top of base/stack.yaml",
    "nodeSelector": _NODES,
    "operator": "a taint has key, value and effect; an operator belongs to a toleration",
    "patch": "write the patch into a file beside the overlay, and name the file under `path`",
    "podAnnotations": "that is `annotations` here",
    "podLabels": "that is `labels` here",
    "podSecurityContext": "only the container has one here: `securityContext`",
    "runtimeClassName": "that is `runtimeClass.name` at the top of base/stack.yaml, the same for every component",
}
_MEANT_AT = {("serviceMonitor", "labels"): "that is `additionalLabels` here"}

# Beyond that a mapping is not one that people wrote.
_MOST_SIBLINGS = 50
# Letters of other alphabets that look like Latin ones in most fonts.
_LOOK_ALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u051b"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425"
    "\u0391\u0392\u0395\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a7\u03bf\u03bd"
    "\u2010\u2011\u2012\u2013\u2014\u2212",
    "aeopcyxijsdqABEKMHOPCTYXABEHIKMNOPTXov------",
)


def plain_letters(text: str) -> str:
    """Return text with look-alike and full-width letters as the Latin ones that they resemble."""
    return unicodedata.normalize("NFKC", text).translate(_LOOK_ALIKES)


def look_alike(text: str) -> str:
    """Return a remark on the first character that only looks like what it should be; empty where there is none."""
    for char in text:
        if not char.isascii() and plain_letters(char).isascii():
            what = unicodedata.name(char, "unnamed").lower()
            return f" (`{char}` in it is U+{ord(char):04X}, {what}, not `{plain_letters(char)}`)"
    return ""


def for_unknown_key(model: type[Model], loc: Location, taken: Callable[[str], bool]) -> str | None:
    """Say where a key belongs, or what it was meant to be. `taken` says whether a key is beside it."""
    key, above = str(loc[-1]), loc[:-1]
    parent = next((str(part) for part in reversed(above) if isinstance(part, str)), "")
    choices = keys_at(model, above)
    for known in (_MEANT_AT.get((parent, key)), _other_member(model, loc), _other_file(model, key, above)):
        if known:
            return known
    if meant := suggest(plain_letters(key), choices):
        return f"did you mean `{meant}`?" if not taken(meant) else f"`{meant}` is there already: delete this one"
    if paths := elsewhere(model, key, above):
        return f"`{key}` belongs under {' or '.join(f'`{path}`' for path in paths)}"
    if key in _MEANT:
        return _MEANT[key]
    return f"known here: {', '.join(sorted(set(choices)))}" if choices else None


def _other_member(model: type[Model], loc: Location) -> str | None:
    """Say that a key goes with another choice of a union, such as another sharing strategy."""
    if len(loc) < 2:  # noqa: PLR2004 -- the union's tag and the key
        return None
    *above, tag, key = loc
    members = members_at(model, tuple(above))
    others = [(str(other), keys) for other, keys in members if other not in (None, tag) and key in keys]
    if not others or tag not in {other for other, _ in members}:
        return None
    field = next((name for name in ("strategy", "os", "managed") if name in others[0][1]), None)
    said = [f"`{field}: {other}`" if field else other for other, _ in others]
    return f"`{key}` goes with {' or '.join(said)}, not with {tag}: choose that, or delete the key"


def _other_file(model: type[Model], key: str, above: Location) -> str | None:
    if above:
        return None
    for other, home in _HOMES.items():
        if other is not model and key in keys_at(other, ()):
            also = ", or under `overrides` to differ in this environment" if other is GPUStack else ""
            return f"`{key}` belongs into {home}{also}"
    return None


def missing_because_misspelt(model: type[Model], missing: str, above: Location, siblings: Iterable[str]) -> bool:
    """True when a key that is there was most likely meant to be the missing one, and is reported as unknown."""
    choices = keys_at(model, above)
    unknown = (key for key in siblings if key not in choices)
    return any(suggest(plain_letters(key), choices) == missing for key in islice(unknown, _MOST_SIBLINGS))


def for_wrong_type(model: type[Model], loc: Location, kind: str, value: Any, source: str) -> str | None:
    """Say how to write a value of the wanted type. `source` is the value as it stands in the file."""
    if value is None:
        return "write its value, or delete the key where nothing is meant"
    if kind in {"model_type", "model_attributes_type", "dict_type"}:
        return _for_mapping(model, loc, value, source)
    if kind in {"tuple_type", "list_type"}:
        return _for_list(model, loc, value)
    return _for_scalar(loc, kind, value, source)


def _for_scalar(loc: Location, kind: str, value: Any, source: str) -> str | None:
    if kind == "string_type" and isinstance(value, bool | int | float):
        timed = _is_duration(loc) and not isinstance(value, bool)
        return f"write it with its unit: {source}s" if timed else f'quote it: "{source}"'
    if isinstance(value, str) and kind == "bool_type":
        return _for_boolean(value)
    if isinstance(value, str) and kind.startswith("int") and value.strip().isdigit():
        return f"write it without the quotes: {value.strip()}"
    return None


def _is_duration(loc: Location) -> bool:
    return str(loc[-1]) in {"interval", "scrapeTimeout", "sleepInterval", "retryInterval", "timeout"}


def _for_boolean(value: str) -> str | None:
    if value in {"true", "false"}:
        return f"write it without the quotes: {value}"
    lower = value.lower()
    if lower in {"yes", "on", "y", "no", "off", "n"}:
        return f"`{value}` is text in YAML 1.2: write {'true' if lower in {'yes', 'on', 'y'} else 'false'}"
    return None


def _for_list(model: type[Model], loc: Location, value: Any) -> str | None:
    if isinstance(value, str) and value:
        item = _for_item(model, (*loc, 0), value)
        return f"write a list, even of one: [{item}]"
    if isinstance(value, dict) and value:
        choices = keys_at(model, (*loc, 0))
        if set(value) & set(choices):
            return "write a list, even of one: begin with `- ` and indent the rest below it"
        key, inner = next(iter(value.items()))
        if "name" in choices:
            shown = f", value: {json.dumps(str(inner))}" if "value" in choices and not isinstance(inner, dict) else ""
            flow = f"{{name: {key}{shown}}}"
            return f"write a list of items, each with its name: - {flow if shown else f'name: {key}'}"
        return "write a list: each item begins with `- `"
    return None


def _for_item(model: type[Model], loc: Location, value: str) -> str:
    return _flow(keys_at(model, loc), value) or value


def _for_mapping(model: type[Model], loc: Location, value: Any, source: str) -> str | None:
    choices = keys_at(model, loc)
    if isinstance(value, bool):
        off = "managed" in choices and not value
        return f"write {{enabled: {source}}}" if "enabled" in choices else "write {managed: external}" if off else None
    if not isinstance(value, str) or not value:
        return None
    if not choices:
        key, found, inner = value.partition("=")
        return f"write key and value: {{{key}: {json.dumps(inner)}}}" if found and key else None
    flow = _flow(choices, value)
    return f"write {flow}" if flow else None


def _flow(choices: list[str], value: str) -> str | None:
    """Return a text as the mapping that it was most likely meant to be, in flow style."""
    if {"key", "effect"} <= set(choices):
        pair, _, effect = value.rpartition(":")
        key, found, inner = pair.partition("=")
        shown = f", value: {inner}" if found else ""
        return f"{{key: {key}{shown}, effect: {effect}}}" if pair else f"{{key: {value}, effect: NoSchedule}}"
    if "repository" in choices:
        name, _, digest = value.partition("@")
        repository, _, tag = name.rpartition(":") if ":" in name.rpartition("/")[2] else (name, "", "")
        parts = {"repository": repository, "tag": tag, "digest": digest}
        return "{" + ", ".join(f"{key}: {part}" for key, part in parts.items() if part) + "}"
    for key in ("strategy", "os", "path", "version", "name"):
        if key in choices:
            return f"{{{key}: {value}}}"
    return None
