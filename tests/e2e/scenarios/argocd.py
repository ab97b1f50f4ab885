"""Proves what is compiled for Argo CD: accepted by the API server in wave order, the second time without a change.

Argo CD itself is not run: its controllers need a repository server and Redis. What it would apply, and in which order,
is in the compiled objects.
"""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path

from tests.e2e import live
from tests.e2e.api import Obj
from tests.e2e.cluster import PROMETHEUS_CRDS, Cluster, install_crds, read_crds
from tests.e2e.evidence import Evidence
from tests.e2e.scenarios import chain
from tests.e2e.served import edit, gpuc_compile, kustomize_build, serve_checkout

_MANAGER = "argocd-controller"
_WAVE = "argocd.argoproj.io/sync-wave"


def prove(cluster: Cluster, evidence: Evidence) -> None:
    """Deliver worker4 by Argo CD's objects, wave by wave.

    Raises:
        NotProven: an object is refused, comes too early, or changes when it is applied again.
    """
    api, tree = cluster.api, cluster.repository.tree
    serve_checkout(cluster.repository)
    edit(
        tree / "base/stack.yaml", "\ndelivery:\n", "\ndelivery:\n  argocd: {repoURL: https://git.example.org/gpu.git}\n"
    )
    gpuc_compile(tree)
    install_crds(api, read_crds(["applications.argoproj.io", "appprojects.argoproj.io", *PROMETHEUS_CRDS]))
    api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "argocd"}})
    applications = kustomize_build(tree / _readme_argocd(tree / "README.md"))
    evidence.now(
        "Argo CD's CRDs accept the Applications that README.md says to apply",
        live.applied(api, applications, _MANAGER),
        [],
    )
    evidence.now("and change nothing in them", live.differences(api, applications), [])
    roots = [tree / one["spec"]["source"]["path"] for one in applications]
    evidence.now(
        "each leads to a Kustomize root", [(root / "kustomization.yaml").is_file() for root in roots], [True] * 2
    )
    objects = sorted((obj for root in roots for obj in kustomize_build(root)), key=_wave)
    waves = {wave: sorted({obj["kind"] for obj in group}) for wave, group in groupby(objects, _wave)}
    evidence.now(
        "what others need comes in earlier waves",
        [waves.get(-2), waves.get(-1)],
        [["CustomResourceDefinition", "Namespace"], ["RuntimeClass"]],
    )
    for wave, group in groupby(objects, _wave):
        these = list(group)
        evidence.now(f"all {len(these)} objects of wave {wave} are accepted", live.applied(api, these, _MANAGER), [])
        if wave == min(waves):
            install_crds(api, [obj for obj in these if obj["kind"] == "CustomResourceDefinition"])
    before = live.snapshot(api, objects)
    evidence.now("a second sync is accepted", live.applied(api, objects, _MANAGER), [])
    evidence.now(
        "and changes nothing, owners of fields included", live.changed(before, live.snapshot(api, objects)), []
    )
    for obj in reversed([*objects, *applications]):
        if obj["kind"] not in ("CustomResourceDefinition", "Namespace"):
            api.delete(obj["apiVersion"], obj["kind"], obj["metadata"]["name"], obj["metadata"].get("namespace", ""))
    evidence.eventually("every pod goes with it", lambda: api.find("v1", "Pod", chain.NAMESPACE), [], within_s=30)


def _readme_argocd(readme: Path) -> str:
    """Return the folder that README.md says to apply for Argo CD.

    Raises:
        LookupError: it says so nowhere, or more than once.
    """
    found = re.findall(r"^kubectl apply -k (out/argocd/\S+)$", readme.read_text(encoding="utf-8"), re.MULTILINE)
    if len(found) != 1:
        raise LookupError(f"{readme} does not say once to `kubectl apply -k out/argocd/...`")
    return str(found[0])


def _wave(obj: Obj) -> int:
    return int(obj["metadata"].get("annotations", {}).get(_WAVE, "0"))
