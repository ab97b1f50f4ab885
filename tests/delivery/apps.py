"""Applications that include a compiled component, built by the real kustomize."""

from __future__ import annotations

import subprocess
from pathlib import Path

from compiler.objects import Json, Obj
from compiler.pipeline import Built
from compiler.validate import Toolset
from compiler.yaml.emit import emit
from compiler.yaml.readback import load_all
from tests.components.projects import compiled, write

POOL = """\
nodePools:
  - name: a
    nodes: [{name: node-1}]
    taints: [{key: dedicated, value: ai, effect: NoSchedule}]
    sharing: {strategy: time-slicing, replicas: 5}
workloads:
  - {name: chat, namespace: llm}
  - {name: batch, namespace: llm, slices: 2}
  - {name: draw, namespace: images}
"""
TOLERATION = {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"}
GPU = "nvidia.com/gpu"
COMPONENT = "../out/components/gpu-workload/lab/a"


def repository(folder: Path, body: str = POOL) -> Built:
    """Write a compiled project with the overlay `lab` below `folder`, and return it."""
    built = compiled(folder, body)
    write(folder / "out", built.files)
    return built


def build(tools: Toolset, folder: Path, kustomizations: dict[str, Obj], files: dict[str, list[Obj]]) -> list[Obj]:
    """Return what the first of some kustomizations builds to.

    Args:
        tools: where kustomize is.
        folder: of the repository.
        kustomizations: their content, by folder relative to the repository.
        files: objects, by path relative to the repository.
    """
    written: dict[str, Json] = {f"{path}/kustomization.yaml": content for path, content in kustomizations.items()}
    for path, content in written.items():
        write(folder, {path: emit(content)})
    for path, objects in files.items():
        write(folder, {path: "---\n".join(emit(obj) for obj in objects)})
    done = subprocess.run(
        [tools.kustomize, "build", folder / next(iter(kustomizations))],
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return list(load_all(done.stdout))


def with_component(
    tools: Toolset, folder: Path, objects: list[Obj], component: str = COMPONENT, **more: Json
) -> dict[str, Obj]:
    """Return the objects, by kind and name, after an application's kustomization has included the component."""
    content = {"resources": ["app.yaml"], "components": [component], **more}
    return by_name(build(tools, folder, {"app": content}, {"app/app.yaml": objects}))


def by_name(objects: list[Obj]) -> dict[str, Obj]:
    """Return objects as `Kind/name`."""
    return {f"{obj['kind']}/{obj['metadata']['name']}": obj for obj in objects}


_VERSIONS = {"Pod": "v1", "Job": "batch/v1", "CronJob": "batch/v1"}


def workload(kind: str, pod: Obj, name: str = "app", labels: dict[str, str] | None = None) -> Obj:
    """Return a workload of a kind with these pods."""
    meta = {"name": name, **({"labels": labels} if labels else {})}
    template = {"metadata": {"labels": {"app": name}}, "spec": pod}
    spec: Obj
    match kind:
        case "Pod":
            spec = pod
        case "CronJob":
            spec = {"schedule": "0 4 * * *", "jobTemplate": {"spec": {"template": template}}}
        case "Job":
            spec = {"template": template}
        case _:
            spec = {"selector": {"matchLabels": {"app": name}}, "template": template}
    return {"apiVersion": _VERSIONS.get(kind, "apps/v1"), "kind": kind, "metadata": meta, "spec": spec}


def pod_of(obj: Obj) -> Obj:
    """Return the spec of a workload's pods."""
    spec: Obj = obj["spec"]
    if obj["kind"] == "CronJob":
        spec = spec["jobTemplate"]["spec"]
    return spec if obj["kind"] == "Pod" else spec["template"]["spec"]
