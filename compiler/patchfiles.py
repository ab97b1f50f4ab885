"""Reads the patch files that an overlay names."""

from __future__ import annotations

from pathlib import Path

from compiler.diagnostics import Diagnostic, Place
from compiler.errors import InputError
from compiler.kustomize.patches import NOT_A_PATCH, UserPatch
from compiler.load.source import decode, read_bytes
from compiler.model.environment import Environment
from compiler.yaml.readback import load_all


def read_patches(environment: Environment, root: Path) -> list[UserPatch]:
    """Return an environment's patches.

    Raises InputError for a file that is missing, outside the overlay's folder, or no YAML mapping or list.
    """
    folder = root / "overlays" / environment.name
    patches: list[UserPatch] = []
    problems: list[Diagnostic] = []
    for index, declared in enumerate(environment.overlay.patches):
        place = environment.overlay_place(("patches", index, "path"))
        if ".." in declared.path.split("/"):
            problems.append(_bad(f"the patch {declared.path} leads out of the overlay's folder", place))
            continue
        if not (folder / declared.path).exists():
            problems.append(_bad(f"the patch {declared.path} does not exist in overlays/{environment.name}", place))
            continue
        try:
            data, shown = read_bytes(folder / declared.path, root)
            text = decode(data, shown)
            patches.append(UserPatch(declared, text, _data(text, declared.path, place), place))
        except InputError as error:
            problems += error.diagnostics
    if problems:
        raise InputError(problems)
    return patches


def _data(text: str, path: str, place: Place) -> object:
    try:
        documents = [document for document in load_all(text) if document is not None]
    except ValueError as error:
        raise InputError(_bad(f"the patch {path} is not YAML: {error}", place)) from None
    if len(documents) != 1 or not isinstance(documents[0], dict | list):
        raise InputError(_bad(f"the patch {path} must be one mapping (strategic merge) or one list (JSON 6902)", place))
    return documents[0]


def _bad(message: str, place: Place) -> Diagnostic:
    return Diagnostic(
        NOT_A_PATCH, message, place, help="put the file into the overlay's folder and name it relative to it"
    )
