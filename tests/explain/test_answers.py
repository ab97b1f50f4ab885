"""Where every compiled line comes from: an input's line or a default, and a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiler.explain.answer import Answer, answer
from compiler.explain.fields import read_fields, routes
from compiler.pipeline import Built, build
from tests.inputs.project import edited, write

ROOT = Path(__file__).parents[2]
STACK = "base/stack.yaml"
OVERLAY = "overlays/worker4/overlay.yaml"
POOL = "overlays/worker4/pools/worker4"
PLUGIN = "base/device-plugin/pool/daemonset-nvidia-device-plugin.yaml"
# The plugin's base is the overlay's own, since the overlay overrides a setting of the stack.
GFD = "base/gpu-feature-discovery/pool/daemonset-gpu-feature-discovery.yaml"
EXPORTER = "base/dcgm-exporter/pool/daemonset-dcgm-exporter.yaml"
CONFIG = f"{POOL}/nvidia-device-plugin-config/config.yaml"
WORKER = "base/node-feature-discovery/daemonset-nfd-worker.yaml"
MONITOR = "base/service-monitor/servicemonitor-dcgm-exporter.yaml"
STACK_FLUX = "flux/worker4/kustomization-gpu-stack.yaml"
ARGO = "argocd/worker4/application-gpu-stack.yaml"
TALOS = "talos/worker4/worker4"
POD = "spec.template.spec"
NAMED_EXPORTER = f"{POD}.containers[dcgm-exporter]"

WRITTEN = [
    (f"{POOL}/daemonset-nvidia-device-plugin.patch.yaml", f"{POD}.tolerations", OVERLAY, 7, 5),
    (f"{POOL}/daemonset-nvidia-device-plugin.patch.yaml", f"{POD}.tolerations[0].value", OVERLAY, 7, 5),
    (f"{POOL}/daemonset-nvidia-device-plugin.patch.yaml", f"{POD}.affinity", OVERLAY, 6, 5),
    (f"{POOL}/daemonset-gpu-feature-discovery.patch.yaml", f"{POD}.tolerations", OVERLAY, 7, 5),
    (f"{POOL}/daemonset-dcgm-exporter.patch.yaml", f"{POD}.tolerations", OVERLAY, 7, 5),
    (f"{POOL}/daemonset-dcgm-exporter.patch.yaml", f"{POD}.hostPID", OVERLAY, 9, 5),
    ("overlays/worker4/daemonset-nfd-worker.patch.yaml", f"{POD}.tolerations", OVERLAY, 7, 5),
    (PLUGIN, f"{POD}.runtimeClassName", STACK, 6, 22),
    (PLUGIN, f"{POD}.nodeSelector", STACK, 7, 1),
    (PLUGIN, f"{POD}.containers[nvidia-device-plugin].image", STACK, 12, 12),
    (PLUGIN, f"{POD}.containers[nvidia-device-plugin].env[CONFIG_FILE].value", OVERLAY, 9, 5),
    (PLUGIN, "metadata.namespace", STACK, 3, 12),
    (GFD, f"{POD}.runtimeClassName", STACK, 6, 22),
    (GFD, f"{POD}.containers[gpu-feature-discovery].image", STACK, 12, 12),
    (EXPORTER, f"{NAMED_EXPORTER}.image", STACK, 16, 12),
    (EXPORTER, f"{NAMED_EXPORTER}.resources", STACK, 17, 3),
    (EXPORTER, f"{NAMED_EXPORTER}.resources.limits.memory", STACK, 17, 3),
    (EXPORTER, f"{NAMED_EXPORTER}.env[DCGM_EXPORTER_INTERVAL].value", STACK, 21, 15),
    (CONFIG, "sharing.timeSlicing.resources[0].replicas", OVERLAY, 9, 5),
    (CONFIG, "flags.migStrategy", OVERLAY, 10, 21),
    (CONFIG, "flags.deviceDiscoveryStrategy", STACK, 13, 28),
    (CONFIG, "flags.plugin.deviceListStrategy", STACK, 14, 3),
    (CONFIG, "flags.failOnInitError", OVERLAY, 16, 22),
    (WORKER, f"{POD}.containers[worker].image", STACK, 8, 12),
    (WORKER, f"{POD}.containers[worker].resources", STACK, 10, 5),
    ("base/namespace/namespace-nvidia-gpu-operator.yaml", "metadata.name", STACK, 3, 12),
    (
        "base/namespace/namespace-nvidia-gpu-operator.yaml",
        "metadata.labels.pod-security.kubernetes.io/enforce",
        STACK,
        3,
        12,
    ),
    ("base/runtime-class/runtimeclass-nvidia.yaml", "handler", STACK, 6, 39),
    ("base/node-feature-rule/nodefeaturerule-nvidia-gpu-present.yaml", "spec.rules", STACK, 7, 1),
    (MONITOR, "spec.endpoints[0].interval", STACK, 21, 15),
    (MONITOR, "spec.selector", STACK, 20, 14),
    ("base/dashboard/configmap-gpu-dashboard.yaml", "data", STACK, 23, 24),
    (f"{POOL}/kustomization.yaml", "nameSuffix", OVERLAY, 5, 11),
    (f"{POOL}/kustomization.yaml", "labels", OVERLAY, 5, 11),
    ("overlays/worker4/kustomization.yaml", "resources", OVERLAY, 4, 1),
    (STACK_FLUX, "spec.interval", STACK, 28, 15),
    (STACK_FLUX, "spec.sourceRef.name", STACK, 27, 5),
    (ARGO, "spec.source.repoURL", STACK, 30, 14),
    (f"{TALOS}/machine-config.patch.yaml", "machine.nodeTaints", OVERLAY, 7, 5),
    (f"{TALOS}/machine-config.patch.yaml", "machine.kernel.modules", OVERLAY, 11, 42),
    (f"{TALOS}/schematic.yaml", "customization.systemExtensions.officialExtensions", OVERLAY, 11, 48),
    (f"{TALOS}/image.yaml", "schematic", OVERLAY, 11, 5),
    (
        "components/gpu-workload/worker4/worker4/quota/ollama/resourcequota-gpu-worker4.yaml",
        "spec.hard",
        OVERLAY,
        12,
        1,
    ),
]
DEFAULTS = [
    (PLUGIN, f"{POD}.priorityClassName", "devicePlugin.priorityClassName", "PriorityClass of the pods."),
    (
        PLUGIN,
        f"{POD}.containers[nvidia-device-plugin].imagePullPolicy",
        "devicePlugin.image.pullPolicy",
        "kubelet pulls",
    ),
    (CONFIG, "flags.nvidiaDriverRoot", "devicePlugin.nvidiaDriverRoot", "Root of the driver's installation"),
    (CONFIG, "flags.plugin.deviceIDStrategy", "devicePlugin.deviceIDStrategy", "What identifies a GPU"),
    (MONITOR, "spec.endpoints[0].scrapeTimeout", "dcgmExporter.serviceMonitor.scrapeTimeout", "at most the interval"),
    (STACK_FLUX, "spec.prune", "delivery.flux.prune", "Remove what the repository no longer has"),
    (ARGO, "spec.project", "delivery.argocd.project", "AppProject"),
]


def ask(built: Built, path: str, field: str) -> Answer:
    # An override in the overlay gives components that it changes a base of their own.
    own = f"overlays/worker4/{path}"
    found = answer(built, own if own in built.files else path, field)
    assert found is not None, f"{path} has no {field}"
    return found


@pytest.mark.parametrize(
    ("path", "field", "file", "line", "column"),
    WRITTEN,
    ids=[f"{row[0].rpartition('/')[2]}:{row[1]}" for row in WRITTEN],
)
def test_a_field_comes_from_the_line_that_somebody_wrote(
    path: str, field: str, file: str, line: int, column: int, built: Built
) -> None:
    found = ask(built, path, field)
    assert (found.place.path, found.place.line, found.place.column) == (file, line, column)
    assert found.default is None


@pytest.mark.parametrize(
    ("path", "field", "setting", "says"), DEFAULTS, ids=[f"{row[0].rpartition('/')[2]}:{row[1]}" for row in DEFAULTS]
)
def test_a_default_is_told_with_what_the_setting_is_for(
    path: str, field: str, setting: str, says: str, built: Built
) -> None:
    found = ask(built, path, field)
    assert found.setting == setting
    assert says in (found.default or "")


def test_a_patch_of_the_users_is_told_by_its_entry_in_the_overlay(built: Built) -> None:
    found = ask(built, "overlays/worker4/patches/priority.yaml", "spec.minReadySeconds")
    assert str(found.place) == f"{OVERLAY}:18:11"
    assert "patch of yours" in found.why


def test_every_field_of_this_repository_has_a_place_and_a_reason() -> None:
    built = build(ROOT)
    silent = []
    for path, text in built.files.items():
        document = read_fields(text, path)
        if document is None:
            fields = [str(number) for number in range(1, len(text.splitlines()) + 1)][:40]
        elif "customresourcedefinition" in path:
            fields = list(document.data)
        else:
            fields = ["".join(f"[{part}]" for part in route) for route in routes(document.data)]
        for field in fields:
            found = answer(built, path, field)
            if found is None or len(found.why) < 15 or not found.place.text or not found.setting:
                silent.append(f"{path}:{field}")
    assert silent == []


def test_the_walk_asks_for_more_than_a_thousand_fields() -> None:
    built = build(ROOT)
    documents = [read_fields(text, path) for path, text in built.files.items() if "customresource" not in path]
    assert sum(len(list(routes(one.data))) for one in documents if one) > 1000


@pytest.mark.parametrize(
    ("field", "spelled"),
    [
        (
            "spec.template.spec.containers[0].env[0].name",
            "spec.template.spec.containers[nvidia-device-plugin].env[CONFIG_FILE].name",
        ),
        ("spec.template.spec.containers.0.image", "spec.template.spec.containers[nvidia-device-plugin].image"),
        ("metadata.labels.app.kubernetes.io/name", "metadata.labels.app.kubernetes.io/name"),
        ("metadata.labels[app.kubernetes.io/name]", "metadata.labels.app.kubernetes.io/name"),
        ("1", "apiVersion"),
    ],
    ids=["indexes", "dotted-index", "key-with-dots", "key-in-brackets", "line"],
)
def test_fields_are_named_in_several_ways(field: str, spelled: str, built: Built) -> None:
    assert ask(built, PLUGIN, field).spelled == spelled


@pytest.mark.parametrize(
    "field", ["nope", "spec[9]", "999999999999", "[", "spec.[", "-1", "spec.template.spec.containers[x]"]
)
def test_what_is_not_there_is_not_found(field: str, built: Built) -> None:
    assert answer(built, "base/runtime-class/runtimeclass-nvidia.yaml", field) is None


def test_a_toleration_of_all_pools_leads_to_the_pool_that_needs_it(tmp_path: Path) -> None:
    second = "  - {name: b, nodes: [{name: n2}], taints: [{key: team, value: ml, effect: NoSchedule}]}\nworkloads:\n"
    overlay = edited(OVERLAY, "workloads:\n", second).replace("- {name: ollama,", "- {name: ollama, pool: worker4,")
    built = build(write(tmp_path, {OVERLAY: overlay}))
    patch = "overlays/worker4/daemonset-nfd-worker.patch.yaml"
    places = [str(ask(built, patch, f"{POD}.tolerations[{index}].key").place) for index in (0, 1)]
    assert places == [f"{OVERLAY}:7:5", f"{OVERLAY}:11:36"]
