"""CustomResourceDefinitions that travel with the stack, generated from the projects' own Go types."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from importlib.resources import files

from compiler.components.namespace import NEVER_PRUNED
from compiler.objects import Obj
from compiler.yaml.readback import load_all


@cache
def _read(name: str) -> Obj:
    text = files("compiler").joinpath("schemas", "crds", f"{name}.yaml").read_text(encoding="utf-8")
    found: Obj = load_all(text)[0]
    return found


def crd(name: str) -> Obj:
    """Return a CRD by its name, such as `nodefeatures.nfd.k8s-sigs.io`, annotated against pruning."""
    found = deepcopy(_read(name))
    meta = found["metadata"]
    meta["annotations"] = dict(sorted({**meta.get("annotations", {}), **NEVER_PRUNED}.items()))
    return found
