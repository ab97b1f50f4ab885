"""Wrong types and values in base/stack.yaml."""

from __future__ import annotations

from tests.inputs.project import stack

_PLUGIN = "  deviceDiscoveryStrategy: nvml\n"
_MONITOR = "serviceMonitor: {enabled: true}"

STACK_VALUES = (
    stack(
        "kubernetes-version-as-a-float", '"1.34"', "§1.34", "GPU033", "must be text, but is the number 1.34", '"1.34"'
    ),
    stack("kubernetes-version-1.30", '"1.34"', "§1.30", "GPU033", "must be text", '"1.30"'),
    stack("kubernetes-version-with-v", '"1.34"', "§v1.34", "GPU033", "`1.34`"),
    stack("kubernetes-version-with-patch", '"1.34"', "§1.34.2", "GPU033", "`1.34`"),
    stack("kubernetes-version-too-old", '"1.34"', '§"1.20"', "GPU033", "1.29"),
    stack("kubernetes-as-text", '{version: "1.34"}', '§"1.34"', "GPU032", "must be a mapping", "version"),
    stack("namespace-as-a-list", "namespace: nvidia-gpu-operator", "namespace: §[a]", "GPU032", "must be text"),
    stack("namespace-upper-case", "namespace: nvidia-gpu-operator", "namespace: §NVIDIA", "GPU033", "lower-case"),
    stack(
        "namespace-as-a-number", "namespace: nvidia-gpu-operator", "namespace: §123", "GPU032", "must be text", '"123"'
    ),
    stack("namespace-null", "namespace: nvidia-gpu-operator", "namespace: §~", "GPU032", "is empty"),
    stack(
        "namespace-mapping-without-name",
        "namespace: nvidia-gpu-operator",
        "§namespace: {managed: external}",
        "GPU031",
        "`namespace` lacks `name`",
    ),
    stack(
        "namespace-managed-typo",
        "namespace: nvidia-gpu-operator",
        "namespace: {name: a, managed: §externally}",
        "GPU033",
        "`external`?",
    ),
    stack("platform-os-typo", "os: talos", "os: §taloss", "GPU033", "did you mean `talos`?"),
    stack(
        "platform-os-of-a-distribution", "{os: talos, version: v1.13.3}", "{os: §ubuntu}", "GPU033", "talos or generic"
    ),
    stack("platform-without-os", "{os: talos, version: v1.13.3}", "§{version: v1.13.3}", "GPU033", "lacks `os`"),
    stack("platform-version-without-v", "v1.13.3}", '§"1.13.3"}', "GPU033", "v1.13.3"),
    stack("platform-version-minor-only", "version: v1.13.3}", "version: §1.13}", "GPU032", "must be text"),
    stack("platform-as-text", "{os: talos, version: v1.13.3}", "§talos", "GPU032", "must be a mapping"),
    stack(
        "generic-with-version", "{os: talos, version: v1.13.3}", "{os: generic, §version: v1.13.3}", "GPU030", "version"
    ),
    stack("nfd-managed-typo", "  version: v0.19.0\n", "  managed: §extern\n", "GPU033", "`external`?"),
    stack(
        "nfd-external-without-labels",
        "nodeFeatureDiscovery:\n  version: v0.19.0\n",
        "§nodeFeatureDiscovery:\n  managed: external\n",
        "GPU031",
        "lacks `labels`",
    ),
    stack(
        "nfd-external-with-version",
        "  version: v0.19.0\n",
        "  managed: external\n  labels: [a]\n  §version: v0.19.0\n",
        "GPU030",
        "version",
    ),
    stack(
        "nfd-off",
        "nodeFeatureDiscovery:\n  version: v0.19.0\n",
        "nodeFeatureDiscovery: §false\n",
        "GPU032",
        "must be a mapping",
        "boolean false",
    ),
    stack("nfd-version-null", "version: v0.19.0", "version:§", "GPU032", "empty"),
    stack(
        "nfd-missing",
        "nodeFeatureDiscovery:\n  version: v0.19.0\n",
        "",
        "GPU031",
        "lacks `nodeFeatureDiscovery`",
        at=(1, 1),
    ),
    stack(
        "discovery-strategy",
        "deviceDiscoveryStrategy: nvml",
        "deviceDiscoveryStrategy: §nvlm",
        "GPU033",
        "did you mean `nvml`?",
    ),
    stack("list-strategy-as-text", "[envvar]", "§envvar", "GPU032", "must be a list", "[envvar]"),
    stack("list-strategy-empty", "[envvar]", "§[]", "GPU033", "must not be empty"),
    stack("list-strategy-unknown", "[envvar]", "[§env-var]", "GPU033", "did you mean `envvar`?"),
    stack(
        "component-as-a-list",
        "gpuFeatureDiscovery: {enabled: true}",
        "gpuFeatureDiscovery: §[enabled]",
        "GPU032",
        "must be a mapping, but is a list",
    ),
    stack("component-empty", "gpuFeatureDiscovery: {enabled: true}", "gpuFeatureDiscovery:§", "GPU032", "empty"),
    stack("api-version-old", "gpuc/v1alpha1", "§v1", "GPU033", "gpuc/v1alpha1"),
    stack("kind-of-the-other-file", "kind: GPUStack", "kind: §Overlay", "GPU033", "GPUStack"),
    stack("kind-look-alike", "kind: GPUStack", "kind: §G\u0420UStack", "GPU033", "U+0420"),
    stack("driver-root-relative", _PLUGIN, _PLUGIN + "  nvidiaDriverRoot: §usr\n", "GPU033", "absolute path"),
    stack("resources-memory-16gb", _MONITOR, "resources: {limits: {memory: §16GB}}", "GPU033", "16Gi"),
    stack("resources-memory-lower-case", _MONITOR, "resources: {limits: {memory: §512mi}}", "GPU033", "512Mi"),
    stack("resources-cpu-float", _MONITOR, "resources: {limits: {cpu: §0.5}}", "GPU032", "must be text", '"0.5"'),
    stack("resources-negative", _MONITOR, "resources: {limits: {cpu: §-1}}", "GPU033", "must be a quantity"),
    stack("resources-huge", _MONITOR, "resources: {limits: {memory: §99999999Ei}}", "GPU033", "2^63"),
    stack(
        "counter-help-with-comma",
        _MONITOR,
        "counters: [{field: DCGM_FI_X, type: gauge, help: §'a, b'}]",
        "GPU033",
        "comma",
    ),
    stack("counter-type", _MONITOR, "counters: [{field: DCGM_FI_X, type: §gague, help: a}]", "GPU033", "`gauge`?"),
    stack("label-value-boolean", _MONITOR, "labels: {a: §true}", "GPU032", "must be text", '"true"'),
    stack("label-key-bad", _MONITOR, "labels: {§a b: c}", "GPU033", "label key"),
    stack("empty-image", _MONITOR, "image:§", "GPU032", "empty"),
)
