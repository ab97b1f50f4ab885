"""Mistakes that real values have: the importer says so instead of carrying them over."""

from __future__ import annotations

import pytest

from compiler.importer import Outcome
from compiler.starter.choices import Choices, node
from tests.importer.support import EXPORTER, NFD, NODE, PLUGIN, TALOS, entry, imported, wrong

PROFILES = """\
    runtimeClassName: nvidia
    gfd: {enabled: true}
    config:
      default: timeslice
      map:
        no-sharing: |
          version: v1
        timeslice: |
          version: v1
          sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 8}]}}
    """
CASES = [
    (
        "label-nobody-makes",
        PLUGIN,
        'runtimeClassName: nvidia\nnodeSelector: {feature.node.kubernetes.io/nvidia-a2000: "true"}\ntolerations: []\n',
        "nodeSelector",
        "nothing here makes the label feature.node.kubernetes.io/nvidia-a2000",
    ),
    (
        "worker-taint",
        PLUGIN,
        (
            "runtimeClassName: nvidia\ngfd: {enabled: true}\n"
            "tolerations: [{key: dedicated, value: ai, effect: NoSchedule}]\n"
        ),
        "nfd.worker.tolerations",
        "does not tolerate dedicated=ai:NoSchedule",
    ),
    (
        "empty-affinity",
        PLUGIN,
        "runtimeClassName: nvidia\naffinity: {}\nnodeSelector: {kubernetes.io/hostname: gpu-1}\n",
        "affinity",
        "does not clear the chart's default",
    ),
    ("env-as-mapping", EXPORTER, "extraEnv: {NVIDIA_VISIBLE_DEVICES: all}\n", "extraEnv", "must be a list"),
    (
        "unknown-key-plugin",
        PLUGIN,
        "runtimeClassName: nvidia\nflags: {migStrategy: single, plugin: {deviceListStrategy: envvar}}\n",
        "flags",
        "does not read `flags`",
    ),
    (
        "unknown-key-exporter",
        EXPORTER,
        "serviceMonitor: {labels: {prometheus: kube-prometheus-stack}}\n",
        "serviceMonitor.labels",
        "did you mean `serviceMonitor.additionalLabels`?",
    ),
    ("unknown-key-nfd", NFD, "tolerations: [{operator: Exists}]\n", "tolerations", "`worker.tolerations`"),
    (
        "rename-in-flags",
        PLUGIN,
        "runtimeClassName: nvidia\nconfig: {map: {default: 'flags: {renameByDefault: true}'}}\n",
        "config.map.default.flags.renameByDefault",
        "`renameByDefault` belongs under `sharing.timeSlicing`",
    ),
    (
        "typed-resources",
        PLUGIN,
        "runtimeClassName: nvidia\nconfig: {map: {default: 'resources: {gpus: [{pattern: a, name: nvidia.com/x}]}'}}\n",
        "config.map.default.resources.gpus.0.name",
        "`resources.gpus` is ignored",
    ),
    (
        "default-that-is-not-there",
        PLUGIN,
        "runtimeClassName: nvidia\nconfig: {default: any, map: {timeslicing: 'version: v1'}}\n",
        "config.default",
        "there is: timeslicing",
    ),
    ("no-runtime-class", PLUGIN, "deviceDiscoveryStrategy: nvml\n", "runtimeClassName", "ERROR_LIBRARY_NOT_FOUND"),
    (
        "exporter-takes-a-slice",
        EXPORTER,
        "resources: {limits: {nvidia.com/gpu: 1, memory: 1Gi}}\n",
        "resources.limits.nvidia.com/gpu",
        "must not ask for nvidia.com/gpu",
    ),
    (
        "timeout-above-interval",
        EXPORTER,
        "serviceMonitor: {interval: 5s, scrapeTimeout: 10s}\n",
        "serviceMonitor.scrapeTimeout",
        "longer than interval 5s",
    ),
    (
        "timeout-above-lowered-interval",
        EXPORTER,
        "serviceMonitor: {interval: 5s}\n",
        "serviceMonitor.interval",
        "scrapeTimeout 10s is longer than interval 5s",
    ),
    (
        "auto-on-talos",
        PLUGIN,
        "runtimeClassName: nvidia\ndeviceDiscoveryStrategy: auto\n",
        "deviceDiscoveryStrategy",
        "finds no driver on Talos",
    ),
    (
        "unread-key",
        PLUGIN,
        "runtimeClassName: nvidia\ngfd: {enabled: true, sleepInterval: 30s}\n",
        "gfd.sleepInterval",
        "write `sleepInterval` at the top of the values",
    ),
]


@pytest.mark.parametrize(
    ("chart", "text", "name", "says"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_mistake_is_told_and_not_carried_over(chart: str, text: str, name: str, says: str) -> None:
    report = imported(chart, text)
    found = next(one for one in report.of(Outcome.WRONG) if ".".join(map(str, one.route)) == name or one.label == name)
    assert says in f"{found.why} {found.help}"
    assert wrong(report) == [name] or chart == PLUGIN
    assert [item.message for item in report.draft.findings()] == []


def test_a_typo_in_a_configuration_leaves_the_pool_unshared() -> None:
    text = "sharing: {time-slicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}"
    report = imported(PLUGIN, f"runtimeClassName: nvidia\nconfig: {{map: {{default: '{text}'}}}}\n")
    assert len(report.of(Outcome.WRONG)) == 2
    assert report.draft.get("overlay", ("nodePools", 0, "sharing", "strategy")) == "none"


def test_two_configurations_become_two_pools_and_a_question() -> None:
    report = imported(PLUGIN, PROFILES)
    (question,) = report.of(Outcome.QUESTION)
    assert question.help == "name them: `--node no-sharing=NAME:ADDRESS`"
    pools = report.draft.get("overlay", ("nodePools",))
    assert [(pool["name"], pool["sharing"]) for pool in pools] == [
        ("gpu", {"strategy": "time-slicing", "replicas": 8}),
        ("no-sharing", {"strategy": "none"}),
    ]
    assert pools[1]["nodeSelector"] == {"nvidia.com/device-plugin.config": "no-sharing"}
    assert [item.message for item in report.draft.findings()] == []


def test_the_question_is_answered_by_naming_the_nodes() -> None:
    choices = Choices(nodes=(*NODE, node("no-sharing=gpu-2")), os="talos", os_version="v1.13.3")
    report = imported(PLUGIN, PROFILES, choices)
    assert not report.open
    pools = report.draft.get("overlay", ("nodePools",))
    assert [[one["name"] for one in pool["nodes"]] for pool in pools] == [["gpu-1"], ["gpu-2"]]


def test_an_nfd_of_somebody_else_is_asked_about_with_both_labels() -> None:
    report = imported(PLUGIN, "runtimeClassName: nvidia\ngfd: {enabled: true}\nnfd: {enabled: false}\n")
    (question,) = report.of(Outcome.QUESTION)
    assert "pci-10de.present" in question.why
    assert "pci-0300_10de.present" in question.why
    assert report.draft.get("stack", ("nodeFeatureDiscovery", "managed")) == "external"


def test_a_configuration_loses_against_the_charts_own_key() -> None:
    text = """\
        runtimeClassName: nvidia
        deviceIDStrategy: index
        config: {map: {default: "flags: {plugin: {deviceIDStrategy: uuid}}"}}
        """
    report = imported(PLUGIN, text)
    assert wrong(report) == ["config.map.default.flags.plugin.deviceIDStrategy"]
    assert report.draft.get("stack", ("devicePlugin", "deviceIDStrategy")) == "index"


def test_a_value_that_kubernetes_would_refuse_is_taken_back() -> None:
    report = imported(PLUGIN, "runtimeClassName: nvidia\nresources: {limits: {memory: 16GB, cpu: 1}}\n")
    assert "quantity" in entry(report, "resources", "limits", "memory").why
    assert entry(report, "resources", "limits", "memory").outcome is Outcome.WRONG
    assert report.draft.get("stack", ("devicePlugin", "resources", "limits")) == {"cpu": 1}
    assert [item.message for item in report.draft.findings()] == []


def test_without_nodes_the_pool_is_every_node_with_a_gpu() -> None:
    report = imported(PLUGIN, "runtimeClassName: nvidia\n", Choices())
    selector = report.draft.get("overlay", ("nodePools", 0, "nodeSelector"))
    assert selector == {"nvidia.com/gpu.present": "true"}


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("nodeSelector: {kubernetes.io/hostname: gpu-7}\n", "nodes", [{"name": "gpu-7"}]),
        ("nodeSelector: {example.com/gpu: big}\n", "nodeSelector", {"example.com/gpu": "big"}),
        (
            (
                "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                "[{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [a, b]}]}]}}}\n"
            ),
            "nodes",
            [{"name": "a"}, {"name": "b"}],
        ),
    ],
    ids=["host", "label", "hosts"],
)
def test_a_selector_becomes_the_pools_nodes(text: str, key: str, value: object) -> None:
    report = imported(PLUGIN, f"runtimeClassName: nvidia\n{text}", Choices())
    assert report.draft.get("overlay", ("nodePools", 0, key)) == value


def test_a_taint_that_was_named_wins_over_what_tolerations_tell() -> None:
    choices = Choices(nodes=NODE, taints=TALOS.taints, os="generic")
    report = imported(PLUGIN, "tolerations: [{key: a, value: b, effect: NoExecute}]\n", choices)
    assert report.draft.get("overlay", ("nodePools", 0, "taints")) == [
        {"key": "a", "value": "b", "effect": "NoExecute"}
    ]


def test_tolerations_that_only_the_chart_has_are_told() -> None:
    report = imported(PLUGIN, "runtimeClassName: nvidia\n")
    (told,) = report.of(Outcome.UNEXPRESSED)
    assert told.label == "tolerations"
    assert "--taint KEY=VALUE:EFFECT" in told.help


@pytest.mark.parametrize(
    ("chart", "tag", "written"),
    [
        (PLUGIN, "v0.19.3", {"version": "v0.19.3"}),
        (PLUGIN, "v0.20.0", {"version": "v0.20.0"}),
        (PLUGIN, "v0.20.0-ubi9", {"version": "v0.20.0", "image": {"tag": "v0.20.0-ubi9"}}),
        (
            PLUGIN,
            f"v0.20.0@sha256:{'a' * 64}",
            {"version": "v0.20.0", "image": {"digest": f"sha256:{'a' * 64}"}},
        ),
        (PLUGIN, "v0.9.0", {"version": "v0.20.0"}),
        (PLUGIN, "v0.19.3@sha256:short", {"version": "v0.19.3"}),
        (
            EXPORTER,
            "4.5.3-4.8.2-ubuntu22.04",
            {"version": "4.5.3-4.8.2-distroless", "image": {"tag": "4.5.3-4.8.2-ubuntu22.04"}},
        ),
    ],
    ids=["older", "same", "variant", "digest", "unknown", "no-digest", "exporter"],
)
def test_an_images_tag_becomes_version_tag_and_digest(chart: str, tag: str, written: dict[str, object]) -> None:
    report = imported(chart, f"image: {{tag: '{tag}'}}\n")
    component = report.draft.stack["devicePlugin" if chart == PLUGIN else "dcgmExporter"]
    assert {key: component[key] for key in ("version", "image") if key in component} == written
