"""Wrong types and values in an overlay."""

from __future__ import annotations

from tests.inputs.project import OVERLAY, Broken, overlay

_SHARING = "sharing: {strategy: time-slicing, replicas: 5}"
_NODES = "nodes: [{name: k8s-worker4, address: 192.168.1.224}]"
_TAINTS = "taints: [{key: dedicated, value: ai, effect: NoSchedule}]"
_GPU = "gpu: {product: NVIDIA GeForce RTX 5070 Ti, count: 1, memory: 16Gi}"
_MIG = "mig: {strategy: none}"
_CLUSTER = "cluster: homelab\n"
_WORKLOAD = "- {name: ollama, namespace: ollama, vram: 6Gi}"

OVERLAY_VALUES = (
    overlay("replicas-1", "replicas: 5", "replicas: §1", "GPU033", "at least 2, not 1", "strategy: none"),
    overlay("replicas-0", "replicas: 5", "replicas: §0", "GPU033", "at least 2"),
    overlay("replicas-negative", "replicas: 5", "replicas: §-5", "GPU033", "at least 2"),
    overlay("replicas-too-many", "replicas: 5", "replicas: §5000", "GPU033", "at most 1024"),
    overlay("replicas-text", "replicas: 5", 'replicas: §"5"', "GPU032", "must be a whole number", "without the quotes"),
    overlay("replicas-float", "replicas: 5", "replicas: §5.5", "GPU032", "whole number"),
    overlay("replicas-integral-float", "replicas: 5", "replicas: §5.0", "GPU032", "whole number"),
    overlay("replicas-true", "replicas: 5", "replicas: §true", "GPU032", "the boolean true"),
    overlay("replicas-word", "replicas: 5", "replicas: §five", "GPU032", "whole number", "`five`"),
    overlay("replicas-list", "replicas: 5", "replicas: §[5]", "GPU032", "whole number", "a list"),
    overlay("replicas-null", "replicas: 5", "replicas: null", "GPU033", "exactly one of replicas", at=(9, 5)),
    overlay(
        "replicas-missing",
        _SHARING,
        "§sharing: {strategy: time-slicing}",
        "GPU033",
        "exactly one of replicas and resources",
    ),
    overlay(
        "replicas-and-resources",
        "replicas: 5}",
        "replicas: 5, resources: [{name: nvidia.com/gpu, replicas: 5}]}",
        "GPU033",
        "exactly one",
        at=(9, 5),
    ),
    overlay(
        "sharing-strategy-typo",
        "strategy: time-slicing",
        "strategy: §timeslicing",
        "GPU033",
        "did you mean `time-slicing`?",
    ),
    overlay(
        "sharing-strategy-missing", _SHARING, "sharing: §{replicas: 5}", "GPU033", "lacks `strategy`", "time-slicing"
    ),
    overlay("sharing-strategy-null", "strategy: time-slicing", "strategy: §null", "GPU033", "time-slicing"),
    overlay("sharing-strategy-list", "strategy: time-slicing", "strategy: §[time-slicing]", "GPU033", "time-slicing"),
    overlay(
        "sharing-as-text", _SHARING, "sharing: §time-slicing", "GPU032", "must be a mapping", "strategy: time-slicing"
    ),
    overlay(
        "sharing-as-a-list",
        _SHARING,
        "sharing: §[{strategy: time-slicing, replicas: 5}]",
        "GPU032",
        "must be a mapping, but is a list",
    ),
    overlay("mig-strategy-typo", _MIG, "mig: {strategy: §mixd}", "GPU033", "did you mean `mixed`?"),
    overlay("mig-as-text", _MIG, "mig: §none", "GPU032", "must be a mapping"),
    overlay(
        "mig-profiles-with-none",
        _MIG,
        "§mig: {strategy: none, profiles: [{name: 1g.10gb, count: 7}]}",
        "GPU033",
        "ignores them",
    ),
    overlay(
        "mig-profile-name", _MIG, "mig: {strategy: single, profiles: [{name: §1g-10gb, count: 7}]}", "GPU033", "1g.10gb"
    ),
    overlay(
        "mig-profile-count",
        _MIG,
        "mig: {strategy: single, profiles: [{name: 1g.10gb, count: §8}]}",
        "GPU033",
        "at most 7",
    ),
    overlay("memory-16GB", "memory: 16Gi", "memory: §16GB", "GPU033", "16Gi"),
    overlay("memory-without-unit", "memory: 16Gi", 'memory: §"16"', "GPU033", "less than 1 MiB", "did you mean 16Gi?"),
    overlay("memory-number", "memory: 16Gi", "memory: §24", "GPU033", "less than 1 MiB", "did you mean 24Gi?"),
    overlay("vram-milli", "vram: 6Gi", "vram: §600m", "GPU033", "less than 1 MiB", "with its unit"),
    overlay("memory-with-space", "memory: 16Gi", "memory: §16 Gi", "GPU033", "16Gi"),
    overlay("memory-float", "memory: 16Gi", "memory: §16.5", "GPU032", "must be text"),
    overlay("gpu-count-0", "count: 1", "count: §0", "GPU033", "at least 1"),
    overlay("gpu-as-text", _GPU, "gpu: §RTX 5070", "GPU032", "must be a mapping"),
    overlay(
        "taint-as-text",
        _TAINTS,
        "taints: [§'dedicated=ai:NoSchedule']",
        "GPU032",
        "must be a mapping",
        "{key: dedicated, value: ai, effect: NoSchedule}",
    ),
    overlay("taints-as-a-mapping", _TAINTS, "taints: §{dedicated: ai}", "GPU032", "must be a list"),
    overlay("taint-without-effect", _TAINTS, "taints: [§{key: dedicated, value: ai}]", "GPU031", "lacks `effect`"),
    overlay("taint-effect-case", "effect: NoSchedule", "effect: §noschedule", "GPU033", "did you mean `NoSchedule`?"),
    overlay("taint-with-operator", "value: ai,", "§operator: Equal,", "GPU030", "operator"),
    overlay("taint-value-boolean", "value: ai", "value: §true", "GPU032", 'quote it: "true"'),
    overlay("node-as-text", _NODES, "nodes: [§k8s-worker4]", "GPU032", "must be a mapping", "{name: k8s-worker4}"),
    overlay("nodes-as-text", _NODES, "nodes: §k8s-worker4", "GPU032", "must be a list"),
    overlay("nodes-as-a-mapping", _NODES, "nodes: §{name: k8s-worker4}", "GPU032", "must be a list", "write a list"),
    overlay("node-without-name", _NODES, "nodes: [§{address: 192.168.1.224}]", "GPU031", "lacks `name`"),
    overlay("node-name-underscore", "name: k8s-worker4", "name: §k8s_worker4", "GPU033", "DNS name"),
    overlay("node-name-number", "name: k8s-worker4", "name: §4", "GPU032", 'quote it: "4"'),
    overlay(
        "nodes-and-selector",
        _NODES,
        _NODES + "\n    nodeSelector: {gpu: a}",
        "GPU033",
        "exactly one of nodes and nodeSelector",
        at=(5, 5),
    ),
    overlay(
        "neither-nodes-nor-selector",
        "    " + _NODES + "\n",
        "",
        "GPU033",
        "exactly one of nodes and nodeSelector",
        at=(5, 5),
    ),
    overlay("selector-as-text", _NODES, "nodeSelector: §gpu=true", "GPU032", "must be a mapping", '{gpu: "true"}'),
    overlay(
        "selector-value-boolean", _NODES, "nodeSelector: {nvidia.com/gpu.present: §true}", "GPU032", 'quote it: "true"'
    ),
    overlay("selector-key", _NODES, "nodeSelector: {§-gpu: a}", "GPU033", "label key"),
    overlay("pool-name-upper-case", "- name: worker4", "- name: §Worker4", "GPU033", "lower-case"),
    overlay("pool-name-too-long", "- name: worker4", "- name: §" + "a" * 41, "GPU033", "at most 40 characters long"),
    overlay("pool-without-name", "- name: worker4\n    nodes", "- nodes", "GPU031", "lacks `name`", at=(5, 5)),
    overlay("cluster-missing", _CLUSTER, "", "GPU031", "lacks `cluster`", at=(1, 1)),
    overlay("cluster-with-space", "cluster: homelab", "cluster: §home lab", "GPU033", "DNS label"),
    overlay(
        "workload-without-namespace",
        _WORKLOAD,
        "- {name: ollama, vram: 6Gi}",
        "GPU031",
        "lacks `namespace`",
        at=(12, 5),
    ),
    overlay("workload-slices-0", _WORKLOAD, "- {name: ollama, namespace: ollama, slices: §0}", "GPU033", "at least 1"),
    overlay("workloads-as-text", "  " + _WORKLOAD, "  - §ollama", "GPU032", "must be a mapping"),
    overlay("ignore-without-reason", _CLUSTER, _CLUSTER + "ignore: [§{rule: GPU105}]\n", "GPU031", "lacks `reason`"),
    overlay(
        "ignore-empty-reason",
        _CLUSTER,
        _CLUSTER + "ignore: [{rule: GPU105, reason: §''}]\n",
        "GPU033",
        "must not be empty",
    ),
    overlay(
        "ignore-rule-by-name", _CLUSTER, _CLUSTER + "ignore: [{rule: §image-version, reason: a}]\n", "GPU033", "GPU105"
    ),
    overlay(
        "control-character-in-text",
        "product: NVIDIA GeForce RTX 5070 Ti",
        'product: §"a\\x1b[31m"',
        "GPU033",
        "control characters",
    ),
    overlay(
        "text-too-long",
        "product: NVIDIA GeForce RTX 5070 Ti",
        "product: §" + "x" * 1025,
        "GPU033",
        "at most 1024 characters",
    ),
    Broken(
        "node-pools-missing",
        OVERLAY,
        "§apiVersion: gpuc/v1alpha1\nkind: Overlay\ncluster: homelab\n",
        "GPU031",
        ("lacks `nodePools`",),
    ),
    Broken(
        "node-pools-empty",
        OVERLAY,
        "apiVersion: gpuc/v1alpha1\nkind: Overlay\ncluster: homelab\nnodePools: §[]\n",
        "GPU033",
        ("must not be empty",),
    ),
    Broken(
        "node-pools-null",
        OVERLAY,
        "apiVersion: gpuc/v1alpha1\nkind: Overlay\ncluster: homelab\nnodePools:§\n",
        "GPU032",
        ("empty",),
    ),
    Broken(
        "node-pools-as-a-mapping",
        OVERLAY,
        "apiVersion: gpuc/v1alpha1\nkind: Overlay\ncluster: homelab\nnodePools:\n  §worker4: {}\n",
        "GPU032",
        ("must be a list", "- name: worker4"),
    ),
)
