"""Argo CD's Applications for every setting, and the order in which it applies the stack."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.objects import Obj
from compiler.pipeline import Built
from tests.components.projects import POOL, STACK, compiled, objects

URL = "repoURL: https://git.example.org/gpu.git"
STACK_KEY = "Application/gpu-stack"
MONITORING = "Application/gpu-monitoring"
ANNOTATION = "argocd.argoproj.io"


def project(folder: Path, settings: str = "", stack: str = STACK) -> Built:
    more = f", {settings}" if settings else ""
    return compiled(folder, POOL, stack=f"{stack}delivery: {{argocd: {{{URL}{more}}}}}\n")


def argocd(folder: Path, settings: str = "") -> dict[str, Obj]:
    """Return Argo CD's objects for a stack with these settings of `delivery.argocd`."""
    return objects(project(folder, settings), "argocd/lab")


def test_without_delivery_there_is_nothing_of_argo_cd(tmp_path: Path) -> None:
    built = compiled(tmp_path)
    annotated = [text for text in built.files.values() if f"{ANNOTATION}/sync-wave" in text]
    assert ([path for path in built.files if path.startswith("argocd/")], annotated) == ([], [])


def test_the_stacks_application(tmp_path: Path) -> None:
    assert argocd(tmp_path)[STACK_KEY] == {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "gpu-stack", "namespace": "argocd", "labels": {"app.kubernetes.io/managed-by": "gpuc"}},
        "spec": {
            "project": "default",
            "source": {
                "repoURL": "https://git.example.org/gpu.git",
                "targetRevision": "HEAD",
                "path": "out/overlays/lab",
            },
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "gpu"},
            "syncPolicy": {
                "automated": {"prune": True, "selfHeal": True},
                "syncOptions": ["ServerSideApply=true"],
                "retry": {"limit": -1, "backoff": {"duration": "30s", "factor": 2, "maxDuration": "5m"}},
            },
        },
    }


def test_monitoring_is_an_application_of_its_own(tmp_path: Path) -> None:
    assert {name: obj["spec"]["source"]["path"] for name, obj in argocd(tmp_path).items()} == {
        STACK_KEY: "out/overlays/lab",
        MONITORING: "out/overlays/lab/monitoring",
    }


def test_a_stack_without_monitoring_has_no_application_for_it(tmp_path: Path) -> None:
    stack = "\n".join(line for line in STACK.splitlines() if not line.startswith("dcgmExporter")) + "\n"
    assert list(objects(project(tmp_path, stack=stack), "argocd/lab")) == [STACK_KEY]


@pytest.mark.parametrize(
    ("settings", "route", "value"),
    [
        ("targetRevision: v1", ("spec", "source", "targetRevision"), "v1"),
        ("path: ./gpu/out", ("spec", "source", "path"), "gpu/out/overlays/lab"),
        ("namespace: gitops", ("metadata", "namespace"), "gitops"),
        ("namePrefix: lab-gpu", ("metadata", "name"), "lab-gpu-stack"),
        ("project: infra", ("spec", "project"), "infra"),
        ("destination: {name: lab}", ("spec", "destination"), {"name": "lab", "namespace": "gpu"}),
        (
            "sync: {prune: false, selfHeal: false}",
            ("spec", "syncPolicy", "automated"),
            {"prune": False, "selfHeal": False},
        ),
    ],
)
def test_a_setting(tmp_path: Path, settings: str, route: tuple[str, ...], value: object) -> None:
    found: Obj = next(obj for obj in argocd(tmp_path, settings).values() if "stack" in obj["metadata"]["name"])
    for key in route:
        found = found[key]
    assert found == value


def test_without_automation_nothing_is_synced_by_itself(tmp_path: Path) -> None:
    found = argocd(tmp_path, "sync: {automated: false}")
    assert ["automated" in obj["spec"]["syncPolicy"] for obj in found.values()] == [False, False]


def test_deleting_an_application_leaves_the_stack_running(tmp_path: Path) -> None:
    assert ["finalizers" in obj["metadata"] for obj in argocd(tmp_path).values()] == [False, False]


def test_the_namespace_comes_with_its_labels_and_is_not_created_without(tmp_path: Path) -> None:
    options = [obj["spec"]["syncPolicy"]["syncOptions"] for obj in argocd(tmp_path).values()]
    assert options == [["ServerSideApply=true"]] * 2


def test_what_others_need_comes_first(tmp_path: Path) -> None:
    waves: dict[str, set[str]] = {}
    for obj in objects(project(tmp_path)).values():
        wave = obj["metadata"].get("annotations", {}).get(f"{ANNOTATION}/sync-wave", "0")
        waves.setdefault(wave, set()).add(obj["kind"])
    assert {wave: kinds for wave, kinds in waves.items() if wave != "0"} == {
        "-2": {"CustomResourceDefinition", "Namespace"},
        "-1": {"RuntimeClass"},
    }


def test_the_namespace_and_the_crds_are_never_pruned(tmp_path: Path) -> None:
    found = objects(project(tmp_path))
    option = f"{ANNOTATION}/sync-options"
    kept = {name for name, obj in found.items() if obj["metadata"].get("annotations", {}).get(option) == "Prune=false"}
    assert kept == {name for name, obj in found.items() if obj["kind"] in ("Namespace", "CustomResourceDefinition")}


def test_objects_of_the_cluster_have_no_namespace(tmp_path: Path) -> None:
    kinds = {
        "ClusterRole",
        "ClusterRoleBinding",
        "CustomResourceDefinition",
        "Namespace",
        "NodeFeatureRule",
        "RuntimeClass",
    }
    found = objects(project(tmp_path)).values()
    assert [obj["metadata"]["name"] for obj in found if obj["kind"] in kinds and "namespace" in obj["metadata"]] == []


def test_both_tools_can_be_set_at_once(tmp_path: Path) -> None:
    built = compiled(tmp_path, POOL, stack=f"{STACK}delivery: {{flux: {{}}, argocd: {{{URL}}}}}\n")
    assert {path.split("/")[0] for path in built.tree.roots} == {"overlays", "flux", "argocd"}
