"""Rules on what people write beside the stack itself: variables, tolerations, delivery, accepted findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.diagnostics import Severity
from tests.check.inputs.cases import SECOND, Case
from tests.check.support import assert_found, assert_twin_passes, found, on_overlay, on_stack
from tests.inputs.project import OVERLAY, OVERLAY_TEXT, STACK, edited

ERROR, WARNING = Severity.ERROR, Severity.WARNING
_LIST = "deviceListStrategy: [envvar]"
_GFD = "gpuFeatureDiscovery: {enabled: true}"
_MONITOR = "serviceMonitor: {enabled: true}"
_CLUSTER = "cluster: homelab"
_FLUX = "delivery:\n  flux:\n    "


def _env(id_: str, rule: str, name: str, *says: str, mended: str = "HTTPS_PROXY") -> Case:
    env = "[{{name: {}, value: x}}]"
    return on_stack(
        id_,
        rule,
        _LIST,
        f"{_LIST}\n  env: {env.format(f'§{name}')}",
        *says,
        mended=f"{_LIST}\n  env: {env.format(mended)}",
    )


def _delivered(content: str) -> dict[str, str]:
    return {STACK: edited(STACK, _MONITOR, f"{_MONITOR}\ndelivery:\n{content}")}


def _argocd(first: str, second: str) -> dict[str, str]:
    argocd = "  argocd: {repoURL: https://example.com/x.git}\n"
    overrides = "overrides: {{delivery: {{{}argocd: {{{}}}}}}}\n"
    return {
        **_delivered(argocd),
        OVERLAY: OVERLAY_TEXT + overrides.format("§" if "§" in first else "", first.replace("§", "")),
        SECOND: OVERLAY_TEXT.replace(_CLUSTER, "cluster: other") + overrides.format("", second),
    }


def _with_worker(item: str, mark: str = "") -> str:
    text = edited(
        STACK, _LIST, f"{_LIST}\n  tolerations: [{mark}{{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}}]"
    )
    return text.replace("  version: v0.19.0", f"  version: v0.19.0\n  worker: {{tolerations: [{item}]}}", 1)


CASES: tuple[tuple[Severity, Case], ...] = (
    (
        ERROR,
        _env(
            "list-strategy",
            "GPU113",
            "DEVICE_LIST_STRATEGY",
            "wins over the configuration file",
            "`devicePlugin.deviceListStrategy`",
        ),
    ),
    (ERROR, _env("mig-strategy", "GPU113", "MIG_STRATEGY", "`nodePools[].mig.strategy`")),
    (ERROR, _env("config-file", "GPU113", "CONFIG_FILE", "another file")),
    (
        ERROR,
        on_stack(
            "gfd-mig-strategy",
            "GPU113",
            _GFD,
            "gpuFeatureDiscovery: {env: [{name: §GFD_MIG_STRATEGY, value: single}]}",
            "on gpuFeatureDiscovery wins",
            mended="gpuFeatureDiscovery: {env: [{name: GFD_OUTPUT_FILE, value: /x}]}",
        ),
    ),
    (
        ERROR,
        _env(
            "wrong-env-name",
            "GPU114",
            "NVIDIA_DEVICE_DISCOVERY_STRATEGY",
            "does not read",
            "did you mean DEVICE_DISCOVERY_STRATEGY?",
        ),
    ),
    (ERROR, _env("slip", "GPU114", "NVIDIA_VISIBLE_DEVICE", "did you mean NVIDIA_VISIBLE_DEVICES?")),
    (
        ERROR,
        on_stack(
            "exporter-slip",
            "GPU114",
            _MONITOR,
            f"{_MONITOR}\n  env: [{{name: §DCGM_EXPORTER_COLLECTOR, value: /x}}]",
            "dcgmExporter does not read",
            "did you mean DCGM_EXPORTER_COLLECTORS?",
            mended=f"{_MONITOR}\n  env: [{{name: DCGM_EXPORTER_COLLECTORS, value: /x}}]",
        ),
    ),
    (
        WARNING,
        on_stack(
            "another-value",
            "GPU115",
            _LIST,
            f"{_LIST}\n  tolerations: [§{{key: dedicated, value: AI, effect: NoSchedule}}]",
            "for dedicated does not cover the taint dedicated=ai:NoSchedule",
            mended=f"{_LIST}\n  tolerations: [{{key: dedicated, operator: Exists}}, {{operator: Exists}}]",
        ),
    ),
    (
        WARNING,
        on_stack(
            "another-effect",
            "GPU115",
            "  version: v0.19.0",
            "  version: v0.19.0\n  worker: {tolerations: [§{key: dedicated, operator: Exists, effect: NoExecute}]}",
            "the toleration of nodeFeatureDiscovery.worker",
            mended="  version: v0.19.0\n  worker: {tolerations: [{key: dedicated, operator: Exists}]}",
        ),
    ),
    *(
        (
            WARNING,
            on_stack(
                f"worker-without-{id_}",
                "GPU119",
                old,
                new,
                f"{says} tolerates the taint nvidia.com/gpu, which no pool declares",
                "under the pool's `taints`",
                mended=mended,
            ),
        )
        for id_, old, new, says, mended in (
            (
                "exists",
                _LIST,
                f"{_LIST}\n  tolerations: [§{{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}}]",
                "devicePlugin",
                f"{_LIST}\n  tolerations: [{{key: dedicated, operator: Exists}}]",
            ),
            (
                "equal",
                _GFD,
                "gpuFeatureDiscovery: {tolerations: [§{key: nvidia.com/gpu, value: present}]}",
                "gpuFeatureDiscovery",
                "gpuFeatureDiscovery: {tolerations: [{key: node.kubernetes.io/unschedulable, operator: Exists}]}",
            ),
            (
                "exporter",
                _MONITOR,
                f"{_MONITOR}\n  tolerations: [§{{key: nvidia.com/gpu, operator: Exists}}]",
                "dcgmExporter",
                f"{_MONITOR}\n  tolerations: [{{operator: Exists}}]",
            ),
        )
    ),
    *(
        (
            WARNING,
            Case(
                f"worker-tolerates-{id_}",
                "GPU119",
                {STACK: _with_worker("{key: nvidia.com/gpu, operator: Equal, value: other}", mark="§")},
                ("NFD's worker does not",),
                {STACK: _with_worker(worker)},
            ),
        )
        for id_, worker in (
            ("the-same", "{key: nvidia.com/gpu, operator: Exists}"),
            ("everything", "{operator: Exists}"),
        )
    ),
    *(
        (
            WARNING if id_ == "monitoring-waits-for-the-gate" else ERROR,
            Case(
                id_,
                "GPU116",
                _delivered(f"  flux: {{{key}: [{{name: §{name}}}]}}\n"),
                (says,),
                _delivered(f"  flux: {{{key}: [{{name: {name}, namespace: elsewhere}}]}}\n"),
            ),
        )
        for id_, key, name, says in (
            ("stack-waits-for-itself", "dependsOn", "gpu-stack", "would wait for itself"),
            ("stack-waits-for-monitoring", "dependsOn", "gpu-monitoring", "monitoring waits for the stack"),
            ("stack-waits-for-the-gate", "dependsOn", "gpu-gate", "the gate waits for the stack"),
            ("monitoring-waits-for-itself", "monitoringDependsOn", "gpu-monitoring", "would wait for itself"),
            ("monitoring-waits-for-the-gate", "monitoringDependsOn", "gpu-gate", "is missing too"),
        )
    ),
    (
        WARNING,
        Case(
            "both-deliveries",
            "GPU117",
            _delivered("  flux: {}\n  §argocd: {repoURL: https://example.com/x.git}\n"),
            ("each undoing what the other changes",),
            _delivered("  argocd: {repoURL: https://example.com/x.git}\n"),
        ),
    ),
    (
        WARNING,
        Case(
            "two-applications-of-one-name",
            "GPU118",
            _argocd("§destination: {name: a}", "destination: {name: b}"),
            ("second and worker4 both make the Application argocd/gpu-stack", "`gpu-worker4`"),
            _argocd("destination: {name: a}", "namePrefix: gpu-b, destination: {name: b}"),
        ),
    ),
    (
        ERROR,
        on_overlay(
            "unknown-code",
            "GPU111",
            {_CLUSTER: f"{_CLUSTER}\nignore: [{{rule: §GPU199, reason: x}}]"},
            "there is no rule GPU199",
        ),
    ),
    (
        ERROR,
        on_overlay(
            "code-of-the-reader",
            "GPU111",
            {_CLUSTER: f"{_CLUSTER}\nignore: [{{rule: §GPU033, reason: x}}]"},
            "GPU033 cannot be ignored",
        ),
    ),
    (
        ERROR,
        on_overlay(
            "code-that-cannot-be-ignored",
            "GPU111",
            {_CLUSTER: f"{_CLUSTER}\nignore: [{{rule: §GPU112, reason: x}}]"},
            "(ignore-unused) cannot be ignored",
        ),
    ),
)
IDS = [case.id for _, case in CASES]


@pytest.mark.parametrize(("severity", "case"), CASES, ids=IDS)
def test_it_is_found_at_its_place(severity: Severity, case: Case, tmp_path: Path) -> None:
    assert_found(case, tmp_path, severity)


@pytest.mark.parametrize(("severity", "case"), CASES, ids=IDS)
def test_the_twin_passes(severity: Severity, case: Case, tmp_path: Path) -> None:  # noqa: ARG001 -- as above
    assert_twin_passes(case, tmp_path)


def test_argo_cds_that_deploy_to_their_own_cluster_may_use_the_same_names(tmp_path: Path) -> None:
    assert (
        found(tmp_path, {path: text.replace("§", "") for path, text in _argocd("project: a", "project: b").items()})
        == []
    )


def test_a_taint_that_any_cluster_of_the_stack_declares_is_declared(tmp_path: Path) -> None:
    taint = "{key: nvidia.com/gpu, value: present, effect: NoSchedule}"
    other = edited(OVERLAY, _CLUSTER, "cluster: other").replace("taints: [", f"taints: [{taint}, ")
    stack = edited(STACK, _LIST, f"{_LIST}\n  tolerations: [{{key: nvidia.com/gpu, operator: Exists}}]")
    assert found(tmp_path, {STACK: stack, SECOND: other}) == []


def test_an_nfd_that_is_not_gpucs_is_not_judged(tmp_path: Path) -> None:
    text = edited(STACK, _LIST, f"{_LIST}\n  tolerations: [{{key: nvidia.com/gpu, operator: Exists}}]")
    text = text.replace("version: v0.19.0", "managed: external\n  labels: [nvidia.com/gpu.present]", 1)
    assert found(tmp_path, {STACK: text}) == []
