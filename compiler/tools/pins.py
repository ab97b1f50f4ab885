"""Which tools there are, and exactly which version of each.

The versions are not here: each tool has a Go module below `gomod/` whose go.mod names the version and whose go.sum
has the checksums of everything that it is built from. They travel with the package.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

GOMOD: Final = Path(__file__).parent / "gomod"

# What goes into every build beside the module itself. CGO_ENABLED=0 makes a program that runs on any libc, -trimpath
# one whose bytes do not depend on where it was built; -s -w leave out what only debuggers read.
BUILD_FLAGS: Final = ("-trimpath", "-buildvcs=false")
LDFLAGS: Final = "-s -w"


@dataclass(frozen=True)
class Pin:
    """One tool, as its go.mod pins it."""

    name: str
    module: str
    """The Go module that has the program, such as `github.com/yannh/kubeconform`."""
    package: str
    """The package to build, such as `github.com/yannh/kubeconform/cmd/kubeconform`."""
    version: str
    """With its leading v, such as `v0.8.0`."""
    go: tuple[int, ...]
    """The oldest Go that builds it, as numbers: (1, 26)."""
    folder: Path
    """Where its go.mod and go.sum are."""


@dataclass(frozen=True)
class _Facts:
    """What go.mod cannot say about a tool."""

    module: str
    version_arguments: tuple[str, ...]
    version_variable: str | None


# kubeconform prints "development" unless the linker sets its version (cmd/kubeconform/main.go, v0.8.0); kustomize
# reads its own from the build information (api/provenance, v0.21.1).
_TOOLS: Final = {
    "kubeconform": _Facts("github.com/yannh/kubeconform", ("-v",), "main.version"),
    "kustomize": _Facts("sigs.k8s.io/kustomize/kustomize/v5", ("version",), None),
}

NAMES: Final = tuple(_TOOLS)


def fingerprint(name: str) -> str:
    """Return the text that decides whether a built tool is the pinned one: its pin, the build flags, the platform.

    It holds the files themselves rather than a hash of them: comparing 10 kB costs less than importing a hash function.
    The platform is in it because a home folder may be shared between machines of different kinds.
    """
    if name not in _TOOLS:
        message = f"gpuc has no tool named {name!r}; it has {', '.join(NAMES)}"
        raise ValueError(message)
    files = [(GOMOD / name / file).read_text(encoding="utf-8") for file in ("go.mod", "go.sum")]
    return "\n".join([f"{sys.platform} {os.uname().machine}", *BUILD_FLAGS, LDFLAGS, *files])


def pin(name: str) -> Pin:
    """Return a tool's pin, read from its go.mod."""
    facts = _TOOLS[name]
    folder = GOMOD / name
    text = (folder / "go.mod").read_text(encoding="utf-8")
    return Pin(
        name=name,
        module=facts.module,
        package=_only(r"^tool (\S+)$", text),
        version=_only(rf"^\s{re.escape(facts.module)} (v\S+)", text),
        go=version_numbers(_only(r"^go (\S+)$", text)),
        folder=folder,
    )


def version_arguments(name: str) -> tuple[str, ...]:
    """Return the arguments that make a tool print its version and nothing else."""
    return _TOOLS[name].version_arguments


def linker_flags(tool: Pin) -> str:
    """Return the linker flags of a build, with which the program can say its own version."""
    variable = _TOOLS[tool.name].version_variable
    return f"{LDFLAGS} -X {variable}={tool.version}" if variable else LDFLAGS


def version_numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of a Go version: `1.26`, `go1.26.8` and `go1.27rc1` give (1, 26), (1, 26, 8) and (1, 27).

    Raises:
        ValueError: no version is in the text.
    """
    found = re.search(r"(?:go|^)(\d+(?:\.\d+)+)", text)
    if not found:
        message = f"{text!r} is not a version of Go"
        raise ValueError(message)
    return tuple(int(number) for number in found[1].split("."))


def _only(pattern: str, text: str) -> str:
    found: list[str] = re.findall(pattern, text, re.MULTILINE)
    (match,) = found
    return match
