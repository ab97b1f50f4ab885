"""Keys that are not there: misspelt, in the wrong place, or from the values of the Helm charts."""

from __future__ import annotations

from tests.inputs.project import overlay, stack

_SHARING = "sharing: {strategy: time-slicing, replicas: 5}"
_CLUSTER = "cluster: homelab\n"
_PLUGIN = "  deviceDiscoveryStrategy: nvml\n"
_MONITOR = "serviceMonitor: {enabled: true}"

UNKNOWN_KEYS = (
    stack("typo-at-the-top", "devicePlugin:", "§devicePluggin:", "GPU030", "devicePluggin", "`devicePlugin`?"),
    stack("wrong-case-at-the-top", "runtimeClass:", "§runtimeclass:", "GPU030", "`runtimeClass`?"),
    stack("snake-case", "kubernetes:", "§run_time: x\nkubernetes:", "GPU030", "run_time"),
    stack("typo-in-a-component", "deviceListStrategy:", "§devicelistStrategies:", "GPU030", "`deviceListStrategy`?"),
    stack(
        "key-of-another-component",
        "  deviceDiscoveryStrategy: nvml\n",
        "  deviceDiscoveryStrategy: nvml\n  §counters: []\n",
        "GPU030",
        "`dcgmExporter.counters`",
    ),
    stack(
        "platform-typo", "version: v1.13.3}", "version: v1.13.3, §versoin: x}", "GPU030", "`version` is there already"
    ),
    stack("python-name-of-a-field", "serviceMonitor:", "§service_monitor:", "GPU030", "`serviceMonitor`?"),
    overlay("replicas-typo", "replicas: 5", "§replics: 5", "GPU030", "did you mean `replicas`?"),
    overlay("pool-key-typo", "taints:", "§taint:", "GPU030", "`taints`?"),
    overlay("top-level-typo", "workloads:", "§workload:", "GPU030", "`workloads`?"),
    overlay("node-key-typo", "address:", "§adress:", "GPU030", "`address`?"),
    overlay("key-nobody-knows", _CLUSTER, _CLUSTER + "§zzz: 1\n", "GPU030", "known here: ", "nodePools"),
    overlay("look-alike-letter-in-a-key", "cluster:", "§\u0441luster:", "GPU030", "U+0441", "`cluster`"),
    overlay(
        "sharing-key-of-the-other-strategy",
        _SHARING,
        "sharing: {strategy: mps, replicas: 5, §failRequestsGreaterThanOne: true}",
        "GPU030",
        "failRequestsGreaterThanOne",
        "time-slicing",
    ),
    overlay(
        "replicas-without-sharing",
        _SHARING,
        "sharing: {strategy: none, §replicas: 5}",
        "GPU030",
        "replicas",
        "time-slicing",
    ),
)
CHART_VALUES = (
    stack(
        "chart-config-map",
        _PLUGIN,
        _PLUGIN + "  §config: {map: {default: 'version: v1'}}\n",
        "GPU030",
        "nodePools[].sharing",
    ),
    stack("chart-mig-strategy", _PLUGIN, _PLUGIN + "  §migStrategy: none\n", "GPU030", "nodePools[].mig.strategy"),
    stack(
        "chart-gfd-below-the-plugin", _PLUGIN, _PLUGIN + "  §gfd: {enabled: true}\n", "GPU030", "gpuFeatureDiscovery"
    ),
    stack(
        "chart-nfd-below-the-plugin", _PLUGIN, _PLUGIN + "  §nfd: {enabled: true}\n", "GPU030", "nodeFeatureDiscovery"
    ),
    stack(
        "chart-runtime-class-name", _PLUGIN, _PLUGIN + "  §runtimeClassName: nvidia\n", "GPU030", "`runtimeClass.name`"
    ),
    stack("chart-affinity", _PLUGIN, _PLUGIN + "  §affinity: {}\n", "GPU030", "nodePools[].nodeSelector"),
    stack(
        "chart-node-selector",
        _PLUGIN,
        _PLUGIN + "  §nodeSelector: {gpu: 'yes'}\n",
        "GPU030",
        "nodePools[].nodeSelector",
    ),
    stack(
        "chart-device-id-strategy", _PLUGIN, _PLUGIN + "  §deviceIdStrategy: uuid\n", "GPU030", "`deviceIDStrategy`?"
    ),
    stack(
        "chart-compat-with-cpu-manager",
        _PLUGIN,
        _PLUGIN + "  §compatWithCPUManager: true\n",
        "GPU030",
        "`passDeviceSpecs`",
    ),
    stack("chart-pod-annotations", _MONITOR, "§podAnnotations: {a: b}", "GPU030", "`annotations`"),
    stack("chart-pod-labels", _MONITOR, "§podLabels: {a: b}", "GPU030", "`labels`"),
    stack("chart-extra-env", _MONITOR, "§extraEnv: {A: b}", "GPU030", "`env`"),
    stack(
        "env-as-a-mapping", _MONITOR, "env: §{A: b}", "GPU032", "must be a list", "mapping", '- {name: A, value: "b"}'
    ),
    stack("env-value-as-a-number", _MONITOR, "env: [{name: A, value: §1}]", "GPU032", "must be text", '"1"'),
    stack("env-value-as-a-boolean", _MONITOR, "env: [{name: A, value: §true}]", "GPU032", "must be text", '"true"'),
    stack(
        "chart-service-monitor-labels",
        _MONITOR,
        "serviceMonitor: {enabled: true, §labels: {release: prometheus}}",
        "GPU030",
        "`additionalLabels`",
    ),
    stack(
        "chart-image-as-text",
        _MONITOR,
        "image: §nvcr.io/nvidia/k8s/dcgm-exporter:4",
        "GPU032",
        "must be a mapping",
        "repository: nvcr.io/nvidia/k8s/dcgm-exporter",
    ),
    stack(
        "chart-image-pull-secrets-as-text",
        _MONITOR,
        "imagePullSecrets: [§regcred]",
        "GPU032",
        "must be a mapping",
        "name: regcred",
    ),
    stack(
        "chart-tolerations-in-nfd",
        "  version: v0.19.0\n",
        "  version: v0.19.0\n  §tolerations: []\n",
        "GPU030",
        "nodeFeatureDiscovery.worker.tolerations",
    ),
    stack(
        "toleration-operator",
        _MONITOR,
        "tolerations: [{key: a, operator: §In, effect: NoSchedule}]",
        "GPU033",
        "Equal or Exists",
    ),
    stack(
        "toleration-exists-with-value",
        _MONITOR,
        "tolerations: [§{key: a, operator: Exists, value: b}]",
        "GPU033",
        "takes no value",
    ),
    stack(
        "toleration-without-key", _MONITOR, "tolerations: [§{effect: NoSchedule}]", "GPU033", "needs operator Exists"
    ),
    stack(
        "toleration-seconds",
        _MONITOR,
        "tolerations: [§{key: a, effect: NoSchedule, tolerationSeconds: 5}]",
        "GPU033",
        "needs effect NoExecute",
    ),
    stack(
        "enabled-as-text",
        _MONITOR,
        'serviceMonitor: {enabled: §"true"}',
        "GPU032",
        "must be true or false",
        "without the quotes",
    ),
    stack("enabled-yes", _MONITOR, "serviceMonitor: {enabled: §yes}", "GPU032", "must be true or false", "`yes`"),
    stack(
        "enabled-number", _MONITOR, "serviceMonitor: {enabled: §1}", "GPU032", "must be true or false", "the number 1"
    ),
    stack(
        "interval-without-unit",
        _MONITOR,
        "serviceMonitor: {interval: §15}",
        "GPU032",
        "must be text",
        "with its unit: 15s",
    ),
    stack("interval-nonsense", _MONITOR, "serviceMonitor: {interval: §fast}", "GPU033", "must be a duration"),
    stack(
        "timeout-above-interval",
        _MONITOR,
        "§serviceMonitor: {interval: 5s, scrapeTimeout: 10s}",
        "GPU033",
        "longer than interval",
    ),
    stack(
        "max-unavailable", _MONITOR, "updateStrategy: {maxUnavailable: §50 percent}", "GPU033", "maxUnavailable", "50%"
    ),
    stack("pull-policy", _MONITOR, "image: {pullPolicy: §ifNotPresent}", "GPU033", "did you mean `IfNotPresent`?"),
    stack("tag-as-a-number", _MONITOR, "image: {tag: §4.5}", "GPU032", "must be text, but is the number 4.5", '"4.5"'),
    stack("tag-with-repository", _MONITOR, "image: {tag: §a/b:c}", "GPU033", "tag", "without repository"),
    stack("digest-too-short", _MONITOR, "image: {digest: §sha256:abc}", "GPU033", "64 hexadecimal digits"),
    stack("repository-with-tag", _MONITOR, "image: {repository: §nvcr.io/a/b:v1}", "GPU033", "without tag or digest"),
    stack(
        "capability-lower-case", _MONITOR, "securityContext: {capabilities: {add: [§sys_admin]}}", "GPU033", "SYS_ADMIN"
    ),
    stack(
        "value-from-two",
        _MONITOR,
        "env: [{name: A, §valueFrom: {fieldRef: {fieldPath: a}, secretKeyRef: {name: a, key: b}}}]",
        "GPU033",
        "exactly one of",
    ),
    stack(
        "value-and-value-from",
        _MONITOR,
        "env: [§{name: A, value: b, valueFrom: {fieldRef: {fieldPath: a}}}]",
        "GPU033",
        "not both",
    ),
)
