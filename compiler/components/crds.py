"""CustomResourceDefinitions that travel with the stack, generated from the projects' own Go types."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from compiler.components.namespace import NEVER_PRUNED
from compiler.objects import Obj
from compiler.yaml.readback import load_all

# kubeconform needs files as well, so gpuc cannot run from an archive anyway; importlib.resources takes 8 ms to import.
_FOLDER: Final = Path(__file__).parents[1] / "schemas" / "crds"


@cache
def _read(name: str) -> Obj:
    found: Obj = load_all((_FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))[0]
    return found


def crd(name: str) -> Obj:
    """Return a CRD by its name, such as `nodefeatures.nfd.k8s-sigs.io`, annotated against pruning.

    All but its metadata is shared by all callers, and not to be changed.
    """
    found = _read(name)
    meta = found["metadata"]
    annotations = dict(sorted({**meta.get("annotations", {}), **NEVER_PRUNED}.items()))
    return {**found, "metadata": {**meta, "annotations": annotations}}
