"""The one question that the compiler asks: where is a good kubeconform, or a good kustomize?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from compiler.tools import pins, places


def find_tool(name: str, root: Path | None, progress: Callable[[str], None] | None = None) -> Path:
    """Return the path of the pinned version of a tool, building it where this machine has none.

    The first that is good wins: the one in gpuc's own folder (see `places.tools_folder`), one on PATH, one built now.
    Where the tool was found before, this takes about a millisecond and starts no process.

    Args:
        name: `kubeconform` or `kustomize`.
        root: the repository that is being compiled, or None. What PATH finds below it is input, and is never run.
        progress: is told, in one line, what takes long. Nobody is told by default.

    Raises:
        EnvironmentFailure: the tool is nowhere and cannot be built; the finding says what to do.
    """
    fingerprint = pins.fingerprint(name)
    try:
        folder = places.tools_folder()
    except RuntimeError as error:
        from compiler.tools import failures  # noqa: PLC0415

        raise failures.no_folder_known(str(error)) from error
    if places.is_built(folder, name, fingerprint):
        return folder / name
    # What follows happens once a machine. Its imports (subprocess and others) are not worth the time of every start.
    from compiler.tools import on_path  # noqa: PLC0415

    found = on_path.find(name, root, folder, fingerprint)
    if found:
        return found
    from compiler.tools import build  # noqa: PLC0415

    return build.build(pins.pin(name), root, folder, fingerprint, progress or _say_nothing)


def _say_nothing(_message: str) -> None:
    pass
