"""What comes out of Go modules: custom resource definitions by controller-gen, and kustomize's own types by reflection.

Each module under scripts/schemas/ pins one project's API types and the generator in its go.mod and go.sum, apart from
the others, because they want different versions of the same libraries.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ruamel.yaml import YAML

from scripts.schemas.shape import DRAFT, Schema, dump, lean

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Source:
    """A Go module whose API types become definitions: which packages to read, and which plurals to keep."""

    module: str
    packages: tuple[str, ...]
    plurals: tuple[str, ...]
    options: str = "crd:maxDescLen=0"


SOURCES = (
    Source(
        "nfd",
        ("sigs.k8s.io/node-feature-discovery/api/nfd/v1alpha1",),
        ("nodefeatures", "nodefeaturerules", "nodefeaturegroups"),
    ),
    Source(
        "prometheus",
        ("github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1",),
        ("servicemonitors", "prometheusrules"),
    ),
    Source(
        "flux",
        ("github.com/fluxcd/kustomize-controller/api/v1", "github.com/fluxcd/source-controller/api/v1"),
        ("kustomizations", "gitrepositories", "ocirepositories"),
    ),
    Source(
        "argocd",
        ("github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1",),
        ("applications", "appprojects"),
        # Argo CD's types hold unexported fields, which controller-gen refuses unless told.
        options="crd:maxDescLen=0,ignoreUnexportedFields=true",
    ),
)


def definitions() -> dict[str, str]:
    """Return path (below compiler/schemas/) -> text of every custom resource definition."""
    files: dict[str, str] = {}
    for source in SOURCES:
        with tempfile.TemporaryDirectory() as folder:
            command = ("tool", "controller-gen", source.options, f"paths={';'.join(source.packages)}")
            _go(HERE / "crds" / source.module, *command, f"output:dir={folder}")
            for path in Path(folder).glob("*.yaml"):
                text = path.read_text("utf-8").removeprefix("---\n")
                crd = YAML(typ="safe").load(text)
                if crd["spec"]["names"]["plural"] in source.plurals:
                    files[f"crds/{crd['metadata']['name']}.yaml"] = text
    return files


def kustomization() -> dict[str, str]:
    """Return path (below compiler/schemas/) -> text of the schemas of kustomization.yaml, one for each of its kinds."""
    reflected = json.loads(_go(HERE / "kustomize", "run", "."))
    shapes: dict[str, Schema] = lean(reflected)["$defs"]
    top = shapes.pop("Kustomization")
    files: dict[str, str] = {}
    # The two kinds share one Go type (sigs.k8s.io/kustomize/api/types, kustomization.go).
    for kind, version in (("Kustomization", "v1beta1"), ("Component", "v1alpha1")):
        fixed = {
            "apiVersion": {"type": "string", "enum": [f"kustomize.config.k8s.io/{version}"]},
            "kind": {"type": "string", "enum": [kind]},
        }
        schema = {
            **top,
            "$schema": DRAFT,
            "definitions": shapes,
            "properties": {**top["properties"], **fixed},
            "required": ["apiVersion", "kind"],
        }
        text = dump(schema).replace('"#/$defs/', '"#/definitions/')
        files[f"kustomize/kustomize.config.k8s.io/{kind.lower()}_{version}.json"] = text
    return files


def _go(module: Path, *arguments: str) -> str:
    go = shutil.which("go")
    if go is None:
        raise SystemExit("there is no `go` on PATH; --no-go leaves out what needs it")
    done = subprocess.run((go, *arguments), cwd=module, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout
