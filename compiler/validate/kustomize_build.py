"""Runs `kustomize build` on a folder and reads back what it prints."""

from __future__ import annotations

from pathlib import Path

from compiler.diagnostics import Diagnostic, Place
from compiler.errors import InputError
from compiler.objects import Obj
from compiler.validate import codes
from compiler.validate.process import run, tool_failed
from compiler.validate.references import KUSTOMIZATION
from compiler.yaml.readback import load_all

# Its defaults, said aloud: files come from the root's own folder (other roots may be named), no plugins, no helm.
_ARGUMENTS = ("build", "--load-restrictor", "LoadRestrictionsRootOnly")


def build(tool: Path, staging: Path, folder: str, shown: str) -> list[Obj]:
    """Return the objects that a folder builds to, in kustomize's order.

    `tool` is kustomize, `folder` a path relative to `staging`, `shown` the path that a user knows it by. What the
    kustomization.yaml files name must have been checked before (`References.problems`).

    Raises:
        InputError: kustomize refuses the folder.
        EnvironmentFailure: kustomize could not be run.
    """
    done = run(tool, (*_ARGUMENTS, folder), staging)
    if done.code == 0:
        return list(load_all(done.stdout))
    said = done.stderr.strip()
    if not said.startswith("Error: "):
        raise tool_failed(tool, f"ended with code {done.code}", said)
    laid_out = f"{staging}/{folder.partition('/')[0]}/"
    plain = said.removeprefix("Error: ").replace(laid_out, "out/")
    raise InputError(
        Diagnostic(
            codes.BUILD_FAILED,
            f"kustomize cannot build {shown}: {plain}",
            Place(f"{shown}/{KUSTOMIZATION}"),
            help=f"`kustomize build {shown}` shows the same; patches from the overlay are the usual cause",
        )
    )
