"""Rows for kustomization.yaml, delivery, Talos images, pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from compiler.explain.rows import Row, row

ROOTS: Final[Sequence[Row]] = (
    row(
        "kustomization", r"nameSuffix", "pool:name", "Objects of a pool end in its name, so that pools do not collide."
    ),
    row(
        "kustomization",
        r"labels.*",
        "pool:name",
        "Tells the pools' workloads apart, also in their selectors, which the API server never lets change.",
    ),
    row(
        "kustomization",
        r"configMapGenerator.*",
        "pool:sharing own:",
        "Generated, with a hash in the name: an edit makes another ConfigMap, and the pods roll.",
    ),
    row("kustomization", r"resources", "overlay:nodePools", "The components' bases, and a folder for every node pool."),
    row(
        "kustomization",
        r"resources\[\]",
        "own: pool:name overlay:nodePools",
        "A base of a component, the same on every cluster, or a pool's folder.",
    ),
    row(
        "kustomization",
        r"patches.*",
        "pool:name overlay:nodePools",
        "What differs from the base on this cluster or pool, and patches of yours behind it.",
    ),
    row("kustomization", r".*", "overlay:cluster", "Kustomize's own: what this folder is built of."),
)
DELIVERY: Final[Sequence[Row]] = (
    *(
        row("flux", rf"spec\.{field}(\..*)?", f"stack:delivery.flux.{setting}", why, "Flux, Kustomization v1")
        for field, setting, why in (
            ("interval", "interval", "Time between two reconciliations; a push is seen by the source anyway."),
            (
                "retryInterval",
                "retryInterval",
                "A failed apply, such as a CRD that is not there yet, is tried again soon.",
            ),
            ("timeout", "timeout", "After this time waiting has failed, and the Kustomization says so."),
            ("prune", "prune", "What is no longer in the repository is removed; never the namespace or CRDs."),
            ("wait", "wait", "Ready only when everything applied is; nodes' GPUs are what the gate waits for."),
            ("sourceRef", "source", "The source that holds out/."),
            ("path", "path", "The folder of the environment in the repository."),
            ("serviceAccountName", "serviceAccountName", "The account that applies."),
        )
    ),
    row(
        "flux", r"spec\.dependsOn.*", "stack:delivery.flux.dependsOn stack:delivery.flux", "What has to be ready first."
    ),
    row(
        "flux",
        r"spec\.healthCheck.*",
        "pool:sharing overlay:nodePools",
        "The gate: ready when every node advertises the GPUs that were compiled. A DaemonSet without pods is healthy.",
        "fluxcd/pkg/runtime/cel",
    ),
    row("flux", r"data(\..*)?", "overlay:nodePools", "What the nodes are waited to advertise, node by node."),
    row(
        "flux",
        r"metadata(\..*)?",
        "stack:delivery.flux.namePrefix stack:delivery.flux",
        "Renaming a Kustomization makes Flux prune what it applied.",
    ),
    row("flux", r".*", "stack:delivery.flux", "Delivery by Flux: stack, monitoring beside it, and the gate."),
    *(
        row(
            "argocd", rf"spec\.{field}(\..*)?", f"stack:delivery.argocd.{setting}", why, "Argo CD, Application v1alpha1"
        )
        for field, setting, why in (
            (r"source\.repoURL", "repoURL", "The repository that holds out/."),
            (r"source\.targetRevision", "targetRevision", "Branch, tag or commit."),
            (r"source\.path", "path", "The folder of the environment in the repository."),
            ("project", "project", "AppProject of the Application."),
            ("destination", "destination", "The cluster to deploy to."),
            (r"syncPolicy\.automated", "sync", "What Argo CD does by itself."),
        )
    ),
    row(
        "argocd",
        r".*",
        "stack:delivery.argocd",
        "Delivery by Argo CD; server-side apply keeps large CRDs within limits.",
    ),
)
OTHERS: Final[Sequence[Row]] = (
    row(
        "talos",
        r"machine\.kernel\.modules.*",
        "pool:talos.modules pool:talos",
        "All four modules, with underscores: with one missing, cards are not found.",
        "Talos, NVIDIA guides",
    ),
    row(
        "talos",
        r"machine\.(nodeTaints|kubelet).*",
        "pool:taints",
        "Set when the node registers; a node keeps the taints with which it did.",
    ),
    row("talos", r"machine\.nodeLabels.*", "pool:nodeSelector", "Labels by which the pool's nodes are chosen."),
    row(
        "talos",
        r"customization\.systemExtensions.*",
        "pool:talos.extensions pool:talos",
        "Driver and container toolkit of the chosen branch, and the extensions that you list.",
        "Talos image factory",
    ),
    row("talos", r"customization\.extraKernelArgs.*", "pool:talos.extraKernelArgs", "Kernel arguments of the image."),
    row(
        "talos",
        r"installer",
        "pool:talos.imagePlatform stack:platform.version",
        "The installer of the schematic, for the image's platform and the Talos release.",
    ),
    row(
        "talos",
        r"schematic.*",
        "pool:talos",
        "SHA-256 of schematic.yaml, as the image factory computes it: the same text gives the same image.",
    ),
    row("talos", r".*", "pool:talos stack:platform", "The Talos image of the pool's nodes."),
    row(
        "workload",
        r"(spec|metadata)(\..*)?",
        "overlay:workloads",
        "A quota of slices for a namespace that declares workloads, so that it cannot take those of others.",
    ),
    row(
        "workload",
        r".*",
        "pool:taints pool:name",
        "What an application includes to run on this pool: toleration, node selector, RuntimeClass and a slice.",
    ),
    row("page", r".*", "overlay:cluster", "The page for operators, written from the same model as the manifests."),
    row("prometheus", r".*", "stack:monitoring.plainFiles", "For a Prometheus without an operator."),
)
