"""Finds the inputs below a root: base/stack.yaml and overlays/<name>/overlay.yaml."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from compiler.diagnostics import Diagnostic, Place
from compiler.errors import EnvironmentFailure, InputError, NothingToCompileError
from compiler.load import rules
from compiler.load.rules import Rule

STACK: Final = "base/stack.yaml"
OVERLAY: Final = "overlay.yaml"

# RFC 1123 label, which names of Kubernetes objects are made of.
_LABEL: Final = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_BOTH: Final = f"gpuc compiles `{STACK}` for every `overlays/<name>/{OVERLAY}`; the README shows one of each."


@dataclass(frozen=True)
class Inputs:
    """The input files of a repository: the stack, and the overlays in the order of their names."""

    stack: Path
    overlays: tuple[Path, ...]


def find_inputs(root: Path) -> Inputs:
    """Return where the inputs below `root` are; their contents are not looked at.

    Folders in overlays/ whose name begins with a dot, and empty ones (git keeps none), are passed over.

    Raises:
        NothingToCompileError: there is no overlay, or no stack and no overlay.
        InputError: overlays without a stack, a folder without its file, a name that no object may have, or a link that
            leads out of the root.
        EnvironmentFailure: the operating system refuses to list a folder.
    """
    if not root.is_dir():
        raise NothingToCompileError(_finding(rules.NOTHING_TO_COMPILE, f"{root} is not a folder", None, _BOTH))
    try:
        return _find(root)
    except OSError as error:
        message = f"cannot look for inputs: {error.strerror or error}: {error.filename}"
        help_ = "Give the user who runs gpuc permission to read the folder."
        raise EnvironmentFailure(_finding(rules.UNREADABLE, message, None, help_)) from None


def _find(root: Path) -> Inputs:
    findings: list[Diagnostic] = []
    overlays = _overlays(root, findings)
    stack = root / STACK
    has_stack = os.path.lexists(stack)
    if not has_stack and not overlays and not findings:
        help_ = _did_you_mean(stack.parent, stack.name) or _BOTH
        message = f"nothing to compile: there is neither {STACK} nor an overlay"
        raise NothingToCompileError(_finding(rules.NOTHING_TO_COMPILE, message, None, help_))
    if not has_stack:
        help_ = _did_you_mean(stack.parent, stack.name) or _BOTH
        findings.append(_finding(rules.MISSING_STACK, f"there are overlays, but no {STACK}", STACK, help_))
    else:
        _check_inside(stack, root, findings)
    if findings:
        raise InputError(findings)
    if not overlays:
        message = f"nothing to compile: there is {STACK}, but no overlay"
        raise NothingToCompileError(_finding(rules.NOTHING_TO_COMPILE, message, "overlays", _BOTH))
    return Inputs(stack, tuple(overlays))


def _overlays(root: Path, findings: list[Diagnostic]) -> list[Path]:
    folder = root / "overlays"
    if not folder.is_dir() or not _check_inside(folder, root, findings):
        return []
    found: list[Path] = []
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith(".") or not (entry.is_dir() or entry.is_symlink()):
            continue
        if not _check_inside(entry, root, findings) or not entry.is_dir():
            continue
        name = f"overlays/{entry.name}"
        path = entry / OVERLAY
        if os.path.lexists(path):
            if not _LABEL.fullmatch(entry.name):
                findings.append(
                    _finding(
                        rules.OVERLAY_NAME,
                        f"`{entry.name}` cannot name an overlay: it becomes part of the names of Kubernetes objects",
                        f"{name}/{OVERLAY}",
                        "Rename the folder: at most 63 of a-z, 0-9 and `-`, not at the ends.",
                    )
                )
            elif _check_inside(path, root, findings):
                found.append(path)
        elif any(entry.iterdir()):
            findings.append(
                _finding(
                    rules.MISSING_OVERLAY,
                    f"{name} has no {OVERLAY}",
                    f"{name}/{OVERLAY}",
                    _did_you_mean(entry, OVERLAY) or "Add it, or move what is in the folder out of overlays/.",
                )
            )
    return found


def _check_inside(path: Path, root: Path, findings: list[Diagnostic]) -> bool:
    """True where `path`, with all links followed, lies below `root`; a finding where it does not."""
    if Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root)):
        return True
    name = path.relative_to(root).as_posix()
    message = f"{name} is a link that leads out of the repository"
    findings.append(_finding(rules.OUTSIDE_ROOT, message, name, "Put the files themselves here."))
    return False


def _did_you_mean(folder: Path, wanted: str) -> str | None:
    """Name a file in `folder` that was probably meant to be `wanted`: another ending, or other letter case."""
    stem = wanted.removesuffix(".yaml")
    names = (entry.name for entry in sorted(folder.iterdir())) if folder.is_dir() else ()
    close = next((name for name in names if name.lower() in {f"{stem}.yml", wanted, f"{stem}.json", stem}), None)
    return f"Did you mean {close}? Rename it to {wanted}." if close else None


def _finding(rule: Rule, message: str, path: str | None, help_: str) -> Diagnostic:
    return Diagnostic(rule.code, message, Place(path) if path else None, help=help_)
