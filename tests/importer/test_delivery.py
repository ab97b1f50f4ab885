"""HelmReleases, Applications and values of a chart of one's own: what stands beside the values is told too."""

from __future__ import annotations

from textwrap import dedent

import pytest

from compiler.errors import InputError
from compiler.importer import Outcome, Report, import_files
from compiler.lint.files import SourceFile
from compiler.starter.choices import Choices
from tests.importer.support import NODE, PLUGIN, TALOS, entry

RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: nvidia-device-plugin, namespace: gpu}
spec:
  interval: 30m
  chart:
    spec: {chart: nvidia-device-plugin, version: 0.19.3, sourceRef: {kind: HelmRepository, name: nvdp}}
  valuesFrom: [{kind: Secret, name: more}]
  values:
    runtimeClassName: nvidia
    deviceDiscoveryStrategy: nvml
    gfd: {enabled: true}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: dcgm-exporter, namespace: monitoring}
spec:
  chart:
    spec: {chart: dcgm-exporter, version: 4.8.2, sourceRef: {kind: HelmRepository, name: dcgm}}
  values:
    serviceMonitor: {interval: 30s, additionalLabels: {release: prometheus}}
"""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: nvidia-device-plugin, namespace: argocd}
spec:
  project: gpu
  source:
    chart: nvidia-device-plugin
    repoURL: https://nvidia.github.io/k8s-device-plugin
    targetRevision: 0.20.0
    helm:
      values: |
        runtimeClassName: nvidia
        deviceDiscoveryStrategy: auto
      valuesObject: {deviceDiscoveryStrategy: nvml}
      parameters:
        - {name: gfd.enabled, value: "true"}
        - {name: "tolerations[0].key", value: dedicated}
  destination: {server: https://kubernetes.default.svc, namespace: nvidia}
"""


def imported(text: str, choices: Choices = TALOS) -> Report:
    return import_files([SourceFile("apps.yaml", dedent(text), named=True)], choices)


def labels(report: Report, outcome: Outcome) -> list[str]:
    return [one.label for one in report.of(outcome) if one.label]


def test_a_helm_release_gives_version_namespace_and_delivery() -> None:
    report = imported(RELEASE)
    stack = report.draft.stack
    assert stack["namespace"] == "gpu"
    assert stack["devicePlugin"]["version"] == "v0.19.3"
    assert stack["delivery"]["flux"]["source"]["name"] == "flux-system"
    assert stack["dcgmExporter"]["serviceMonitor"] == {
        "enabled": True,
        "interval": "30s",
        "additionalLabels": {"release": "prometheus"},
    }


def test_values_from_elsewhere_need_an_answer() -> None:
    report = imported(RELEASE)
    assert labels(report, Outcome.QUESTION) == ["spec.valuesFrom"]
    assert set(labels(report, Outcome.UNEXPRESSED)) == {"tolerations", "spec.interval", "namespace"}


def test_an_application_is_read_layer_by_layer() -> None:
    report = imported(APPLICATION)
    assert report.draft.stack["namespace"] == "nvidia"
    assert entry(report, "deviceDiscoveryStrategy").value == "nvml"
    assert entry(report, "gfd", "enabled").value is True
    assert "deviceDiscoveryStrategy" in labels(report, Outcome.DEFAULT)
    assert set(labels(report, Outcome.UNEXPRESSED)) >= {"tolerations[0].key", "spec.project", "delivery"}


def test_the_repository_of_out_is_named_by_an_option() -> None:
    choices = Choices(nodes=NODE, argocd="https://example.com/gpu.git")
    assert imported(APPLICATION, choices).draft.stack["delivery"] == {
        "argocd": {"repoURL": "https://example.com/gpu.git"}
    }


def test_values_of_a_chart_of_ones_own_are_found_and_the_rest_is_told() -> None:
    report = imported("nvidia-device-plugin: {runtimeClassName: gpu}\nreplicas: 3\n")
    assert report.draft.stack["runtimeClass"] == {"name": "gpu"}
    assert labels(report, Outcome.UNEXPRESSED) == ["tolerations", "replicas"]


def test_two_of_one_chart_are_told() -> None:
    files = [SourceFile(f"{name}.yaml", "gfd: {enabled: true}\nmigStrategy: none\n", named=True) for name in "ab"]
    report = import_files(files, TALOS, PLUGIN)
    assert "fight over the same nodes" in " ".join(one.why for one in report.of(Outcome.WRONG))


def test_charts_that_want_different_runtime_classes_are_told() -> None:
    files = [
        SourceFile("a.yaml", "migStrategy: none\nruntimeClassName: one\n", named=True),
        SourceFile("b.yaml", "kubeletPath: /x\nruntimeClassName: two\n", named=True),
    ]
    report = import_files(files, TALOS)
    assert '`runtimeClass.name` is "one" already' in " ".join(one.why for one in report.of(Outcome.WRONG))


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("a: b\n", "GPU073"),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", "GPU073"),
        ("", "GPU073"),
        ("- 1\n", "GPU073"),
        ("a: [\n", "GPU008"),
        ("a: &a [*a]\n", ""),
        ("x: !!python/object:os.system ls\n", ""),
    ],
    ids=["no-chart", "other-kind", "empty", "list", "syntax", "recursion", "tag"],
)
def test_files_without_values_are_refused(text: str, rule: str) -> None:
    with pytest.raises(InputError) as caught:
        imported(text)
    assert rule in {"", *(item.rule for item in caught.value.diagnostics)}


def test_two_nfds_are_told() -> None:
    files = [
        SourceFile("a.yaml", "gfd: {enabled: true}\nruntimeClassName: nvidia\n", named=True),
        SourceFile("nfd.yaml", "worker: {resources: {limits: {memory: 64Mi}}}\n", named=True),
    ]
    report = import_files(files, TALOS)
    assert [one.label for one in report.of(Outcome.WRONG)] == ["nfd.enabled"]
    assert report.draft.get("stack", ("nodeFeatureDiscovery", "worker", "resources")) == {"limits": {"memory": "64Mi"}}


def test_the_plugins_release_decides_on_the_namespace() -> None:
    releases = "---\n".join(reversed(RELEASE.split("---\n")))
    assert imported(releases).draft.stack["namespace"] == "gpu"
