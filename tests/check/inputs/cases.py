"""What each rule on inputs refuses, and the twin beside it that passes."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.inputs.project import MARK, OVERLAY, OVERLAY_TEXT, STACK, edited

SECOND = "overlays/second/overlay.yaml"
_ENABLED = "gpuFeatureDiscovery: {enabled: true}"
_SHARING = "sharing: {strategy: time-slicing, replicas: 5}"
_MIG = "mig: {strategy: none}"
_WORKLOADS = "workloads:\n"
_HEAD = "apiVersion: gpuc/v1alpha1\nkind: Overlay\n"
# Of a card that nobody describes, nothing is known but what these rules look at.
_ANY_CARD = edited(OVERLAY, "gpu: {product: NVIDIA GeForce RTX 5070 Ti, count: 1, memory: 16Gi}", "gpu: {count: 1}")
_MPS = _ANY_CARD.replace(_SHARING, "sharing: {strategy: mps, replicas: 5}")


@dataclass(frozen=True)
class Case:
    """Files with § in front of what the rule must point to, what it says, and the same files after the cure."""

    id: str
    rule: str
    files: dict[str, str]
    says: tuple[str, ...]
    mended: dict[str, str] = field(default_factory=dict)

    @property
    def place(self) -> tuple[str, int, int]:
        """Path, line and column of the mark."""
        ((path, text),) = ((path, text) for path, text in self.files.items() if MARK in text)
        before = text.partition(MARK)[0]
        return path, before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1

    @property
    def contents(self) -> dict[str, str]:
        """The files without the mark."""
        return {path: text.replace(MARK, "") for path, text in self.files.items()}


def _stack(id_: str, rule: str, old: str, new: str, *says: str, mended: str | None = None) -> Case:
    after = {} if mended is None else {STACK: edited(STACK, old, mended)}
    return Case(id_, rule, {STACK: edited(STACK, old, new)}, says, after)


def _overlay(id_: str, rule: str, old: str, new: str, *says: str, mended: str | None = None) -> Case:
    after = {} if mended is None else {OVERLAY: edited(OVERLAY, old, mended)}
    return Case(id_, rule, {OVERLAY: edited(OVERLAY, old, new)}, says, after)


def _two_pools(first: str, second: str) -> dict[str, str]:
    pools = f"  - {{name: a, {first}}}\n  - {{name: b, {second}}}\n"
    return {OVERLAY: f"{_HEAD}cluster: homelab\nnodePools:\n{pools}"}


def _second(cluster: str) -> dict[str, str]:
    return {SECOND: f"{_HEAD}cluster: {cluster}\nnodePools: [{{name: a, nodes: [{{name: n}}]}}]\n"}


_PLAIN = edited(OVERLAY, "cluster: homelab", "cluster: §homelab")

CASES = (
    Case("one-cluster-twice", "GPU101", {**_second("homelab"), OVERLAY: _PLAIN}, ("second and worker4",), _second("b")),
    Case(
        "pool-twice",
        "GPU102",
        _two_pools("nodes: [{name: n}]", "nodes: [{name: m}]")
        | {
            OVERLAY: f"{_HEAD}cluster: c\nnodePools:\n  - {{name: a, nodes: [{{name: n}}]}}\n"
            "  - {name: §a, nodes: [{name: m}]}\n"
        },
        ("node pool a is named twice",),
        _two_pools("nodes: [{name: n}]", "nodes: [{name: m}]"),
    ),
    Case(
        "node-in-two-pools",
        "GPU102",
        _two_pools("nodes: [{name: n}]", "nodes: [{name: §n}]"),
        ("node n is named twice",),
        _two_pools("nodes: [{name: n}]", "nodes: [{name: m}]"),
    ),
    _overlay(
        "node-twice-in-a-pool",
        "GPU102",
        "192.168.1.224}]",
        "192.168.1.224}, {name: §k8s-worker4}]",
        "node k8s-worker4",
        mended="192.168.1.224}, {name: k8s-worker5}]",
    ),
    _overlay(
        "workload-twice",
        "GPU102",
        "vram: 6Gi}\n",
        "vram: 6Gi}\n  - {name: §ollama, namespace: ollama}\n",
        "workload ollama/ollama",
        mended="vram: 6Gi}\n  - {name: ollama, namespace: other}\n",
    ),
    Case(
        "selectors-that-overlap",
        "GPU103",
        _two_pools("nodeSelector: {gpu: a}", "§nodeSelector: {zone: b}"),
        ("selectors of both a and b",),
        _two_pools("nodeSelector: {gpu: a}", "nodeSelector: {gpu: b, zone: b}"),
    ),
    Case(
        "selector-within-another",
        "GPU103",
        _two_pools("nodeSelector: {gpu: a}", "§nodeSelector: {gpu: a, zone: b}"),
        ("two plugins on one node",),
        _two_pools("nodeSelector: {gpu: a}", "nodes: [{name: n}]"),
    ),
    _stack("nfd-version", "GPU104", "version: v0.19.0", "version: §v0.18.0", "CRDs of NFD v0.18.0", "v0.19.0"),
    _overlay(
        "nfd-version-overridden",
        "GPU104",
        _WORKLOADS,
        "overrides: {nodeFeatureDiscovery: {version: §v0.18.0}}\n" + _WORKLOADS,
        "CRDs of NFD v0.18.0",
        mended="overrides: {nodeFeatureDiscovery: {version: null, managed: external, labels: [a]}}\n" + _WORKLOADS,
    ),
    _stack("plugin-version", "GPU105", "version: v0.20.0", "version: §v0.99.0", "devicePlugin v0.99.0", "v0.20.0"),
    _stack("exporter-version", "GPU105", "4.5.3-4.8.2-distroless", "§9.9.9-9.9.9-ubuntu22.04", "dcgmExporter 9.9.9"),
    Case(
        "mps-with-mig",
        "GPU106",
        {OVERLAY: _MPS.replace(_MIG, "mig: {strategy: §single}")},
        ("combines MPS with MIG single",),
        {OVERLAY: _MPS},
    ),
    Case(
        "mps-without-gfd",
        "GPU106",
        {OVERLAY: _MPS, STACK: edited(STACK, _ENABLED, "gpuFeatureDiscovery: {enabled: §false}")},
        ("nvidia.com/mps.capable", "enable gpuFeatureDiscovery"),
        {OVERLAY: OVERLAY_TEXT},
    ),
    Case(
        "mps-with-too-many-clients",
        "GPU106",
        {OVERLAY: _MPS.replace("replicas: 5", "replicas: §49")},
        ("49 MPS clients", "at most 48"),
        {OVERLAY: _MPS.replace("replicas: 5", "replicas: 48")},
    ),
    Case(
        "replicas-with-mixed-mig",
        "GPU107",
        {
            OVERLAY: _ANY_CARD.replace("replicas: 5", "replicas: §5").replace(
                _MIG, "mig: {strategy: mixed, profiles: [{name: 1g.10gb, count: 7}]}"
            )
        },
        ("nvidia.com/gpu", "nvidia.com/mig-1g.10gb"),
        {
            OVERLAY: _ANY_CARD.replace(
                "replicas: 5", "resources: [{name: nvidia.com/mig-1g.10gb, replicas: 5}]"
            ).replace(_MIG, "mig: {strategy: mixed, profiles: [{name: 1g.10gb, count: 7}]}")
        },
    ),
    _overlay(
        "mig-resource-without-mig",
        "GPU107",
        "replicas: 5}",
        "resources: [{name: §nvidia.com/mig-1g.10gb, replicas: 5}]}",
        "nvidia.com/mig-1g.10gb",
        mended="resources: [{name: nvidia.com/gpu, replicas: 5}]}",
    ),
    _stack("talos-auto", "GPU108", "Strategy: nvml", "Strategy: §auto", "finds no driver on Talos", "nvml"),
    _stack(
        "talos-default-strategy",
        "GPU108",
        "devicePlugin:\n  version: v0.20.0\n  deviceDiscoveryStrategy: nvml\n",
        "§devicePlugin:\n  version: v0.20.0\n",
        "deviceDiscoveryStrategy auto",
    ),
    Case(
        "cdi-on-old-talos",
        "GPU108",
        {STACK: edited(STACK, "[envvar]", "[§cdi-cri]").replace("v1.13.3", "v1.12.1")},
        ("cdi-cri fails on Talos v1.12.1",),
        {STACK: edited(STACK, "[envvar]", "[cdi-cri]")},
    ),
    _stack(
        "exporter-takes-a-gpu",
        "GPU109",
        "serviceMonitor: {enabled: true}",
        "resources: {limits: {§nvidia.com/gpu: 1}}",
        "dcgmExporter requests nvidia.com/gpu",
        mended="resources: {limits: {memory: 1Gi}}",
    ),
    _stack(
        "nfd-worker-takes-a-mig-slice",
        "GPU109",
        "  version: v0.19.0\n",
        "  version: v0.19.0\n  worker: {resources: {requests: {§nvidia.com/mig-1g.10gb: 1}}}\n",
        "nodeFeatureDiscovery requests",
        mended="  version: v0.19.0\n  worker: {resources: {requests: {cpu: 1}}}\n",
    ),
    _overlay(
        "workload-on-no-pool",
        "GPU110",
        "vram: 6Gi}",
        "pool: §worker5}",
        "runs on the pool worker5",
        "did you mean `worker4`?",
        mended="pool: worker4}",
    ),
    Case(
        "workload-without-pool",
        "GPU110",
        {
            OVERLAY: _two_pools("nodes: [{name: n}]", "nodes: [{name: m}]")[OVERLAY]
            + "workloads: [{name: §w, namespace: w}]\n"
        },
        ("does not say on which of the 2 pools", "a, b"),
        {
            OVERLAY: _two_pools("nodes: [{name: n}]", "nodes: [{name: m}]")[OVERLAY]
            + "workloads: [{name: w, namespace: w, pool: b}]\n"
        },
    ),
    _overlay(
        "ignored-rule-misspelt",
        "GPU111",
        _WORKLOADS,
        "ignore: [{rule: §GPU199, reason: a}]\n" + _WORKLOADS,
        "there is no rule GPU199",
        mended="ignore: [{rule: GPU105, reason: a}]\n" + _WORKLOADS,
    ),
    _overlay(
        "ignored-syntax-error",
        "GPU111",
        _WORKLOADS,
        "ignore: [{rule: §GPU008, reason: a}]\n" + _WORKLOADS,
        "cannot be ignored",
    ),
)
