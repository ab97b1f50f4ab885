"""The page beside a workload component: how to include it, and what to write where Kustomize cannot help."""

from __future__ import annotations

from compiler.components.pods import toleration
from compiler.model.overlay import NodePool
from compiler.objects import Obj
from compiler.yaml.emit import emit


def readme(folder: str, pool: NodePool, runtime_class: str, selector: dict[str, str], resources: list[str]) -> str:
    """Return the page of a pool's component as Markdown; `folder` is relative to out/."""
    resource = resources[0] if resources else "nvidia.com/mig-<profile>"
    limits = {"resources": {"limits": {resource: 1}}}
    tolerations = [toleration(taint.toleration()) for taint in pool.taints]
    placement: Obj = {
        "runtimeClassName": runtime_class,
        "nodeSelector": selector,
        **({"tolerations": tolerations} if tolerations else {}),
    }
    whole = len(resources) == 1
    return (
        "\n\n".join(
            [
                f"# GPU pods on the pool {pool.name}",
                "<!-- Compiled by gpuc. -->",
                _how_to_include(folder, resource, whole=whole),
                _resources(resources),
                "## Where Kustomize cannot do it",
                "A kind that is not listed above is left as it is, without a word. Write it yourself there.",
                "Pod template:",
                _yaml({**placement, "containers": [{"name": "main", **limits}]}),
                "Helm values, as most charts name them:",
                _yaml({**placement, **limits}),
                "Kubeflow notebook (`kind: Notebook`):",
                _yaml({"spec": {"template": {"spec": {**placement, "containers": [{"name": "notebook", **limits}]}}}}),
                "Katib experiment, whose trials run as Jobs:",
                _yaml({"spec": {"trialTemplate": {"trialSpec": _trial(placement, limits)}}}),
            ]
        )
        + "\n"
    )


def _how_to_include(folder: str, resource: str, *, whole: bool) -> str:
    gives = f"RuntimeClass, node selection, tolerations, and one `{resource}` for their first container"
    without = "RuntimeClass, node selection and tolerations; the limit is yours to set, container by container"
    return f"""\
An application's kustomization.yaml includes one line to run its pods here:

```yaml
components:
- <path to out>/{folder}
```

Its Deployments, StatefulSets, DaemonSets, ReplicaSets, Jobs, CronJobs and Pods get {gives if whole else without}.
What they have stays: other containers, limits, tolerations and node labels. A `runtimeClassName` is set, since no other
works here. A workload labelled `gpu-workload: "false"` is left alone. With `{folder}/placement`
instead they get no limit: for pods whose GPU container is not the first, or that ask for more than one."""


def _resources(resources: list[str]) -> str:
    if not resources:
        return "Pods ask for a MIG profile, such as `nvidia.com/mig-1g.10gb: 1`; `kubectl describe node` lists them."
    return "Pods here ask for " + " or ".join(f"`{name}`" for name in resources) + "."


def _trial(placement: Obj, limits: Obj) -> Obj:
    pod = {**placement, "containers": [{"name": "training-container", **limits}], "restartPolicy": "Never"}
    return {"apiVersion": "batch/v1", "kind": "Job", "spec": {"template": {"spec": pod}}}


def _yaml(content: Obj) -> str:
    return f"```yaml\n{emit(content)}```"
