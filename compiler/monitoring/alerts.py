"""The alerts: each says what happens, what the likely cause is, and where the runbook goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from compiler.model.monitoring import Rules
from compiler.monitoring.recording import CARDS_COMPILED, SLICES_COMPILED
from compiler.objects import Obj

Severity = Literal["critical", "warning", "info"]

_CARD = "{{ $labels.modelName }} (GPU {{ $labels.gpu }}) on {{ $labels.node }}"
_HOLDERS = (
    '{{ range $index, $held := query (printf "sort_desc(sum by (namespace, pod) '
    '(gpu_pod:vram_used:mebibytes{node=%q,UUID=%q}))" $labels.node $labels.UUID) }}{{ if $index }}, {{ end }}'
    '{{ $held.Labels.namespace }}/{{ $held.Labels.pod }} {{ $held.Value | printf "%.0f" }} MiB{{ end }}'
)
_ALLOCATABLE = "max by (cluster, node, resource) (kube_node_status_allocatable)"


@dataclass(frozen=True)
class Alert:
    """An alert; `hold` is how long its condition must hold, as a duration, or None for at once."""

    name: str
    severity: Severity
    expr: str
    hold: str | None
    summary: str
    description: str


def alerts(settings: Rules) -> tuple[Alert, ...]:
    """Return the alerts with their thresholds, in the order of the runbook."""
    limits = settings.thresholds
    allocatable = [_allocatable_below_compiled(limits.allocatable_for)] if settings.kube_state_metrics else []
    return (
        Alert(
            "GpuVramNearlyFull",
            "warning",
            f"100 * gpu:vram_held:ratio > {limits.vram}",
            limits.vram_for,
            f'VRAM of {_CARD} is {{{{ $value | printf "%.0f" }}}} % full',
            "Whoever allocates next fails with CUDA out of memory: time-slicing shares VRAM and limits nobody. "
            f"It is held by: {_HOLDERS}",
        ),
        *allocatable,
        Alert(
            "GpuCardsMissing",
            "critical",
            f"gpu_node:cards:count < on (node) group_left () {CARDS_COMPILED}",
            limits.exporter_for,
            "{{ $labels.node }} shows {{ $value }} cards, fewer than were compiled",
            "A card is gone from the bus (XID 79), has no power, or is passed through to another virtual machine.",
        ),
        Alert(
            "GpuExporterAbsent",
            "warning",
            f"last_over_time({CARDS_COMPILED}[1h]) unless on (node) gpu_node:cards:count",
            limits.exporter_for,
            "No GPU metrics from {{ $labels.node }}",
            "The exporter does not run there (no nvidia.com/gpu.present label, a taint, a driver that is not loaded), "
            "nothing scrapes it, or the node is down. Until it is back none of the other GPU alerts can fire for it.",
        ),
        Alert(
            "GpuTooHot",
            "warning",
            f"gpu:temperature:celsius > gpu:temperature_limit:celsius - {limits.temperature_margin} "
            f"or gpu:temperature:celsius > {limits.temperature} unless gpu:temperature_limit:celsius",
            limits.temperature_for,
            f'{_CARD} is at {{{{ $value | printf "%.0f" }}}} °C',
            "Near its limit a card lowers its clocks, and beyond it switches itself off. Likely: dust, a fan that "
            "stands still, no air in the case.",
        ),
        Alert(
            "GpuSlowedByHeat",
            "warning",
            'max without (clock_event) (gpu:clock_events:count5m{clock_event=~"hw_thermal|sw_thermal"}) > 0',
            limits.temperature_for,
            f"{_CARD} lowers its clocks because of heat",
            "The card is slower than it could be. Likely: dust, a fan that stands still, no air in the case.",
        ),
        Alert(
            "GpuPowerAtLimit",
            "info",
            f"100 * gpu:power:watts / gpu:power_limit:watts > {limits.power}",
            limits.power_for,
            f'{_CARD} draws {{{{ $value | printf "%.0f" }}}} % of its power limit',
            "The power limit, not the work, sets its speed. That is normal under full load; a limit that somebody "
            "lowered (nvidia-smi -pl) looks the same.",
        ),
        Alert(
            "GpuPowerBrake",
            "warning",
            'max without (clock_event) (gpu:clock_events:count5m{clock_event="hw_power_brake"}) > 0',
            limits.temperature_for,
            f"{_CARD} is slowed down by the power supply",
            "The power supply or the board asserts the power brake: it cannot deliver what the card wants, or a power "
            "connector is loose.",
        ),
        *_xid(settings),
        Alert(
            "GpuIdleWhileTaken",
            "info",
            f"gpu:utilisation:percent <= {limits.idle} and gpu:slices_taken:count > 0",
            limits.idle_for,
            f"{_CARD} is idle while pods hold slices of it",
            f"Others may wait for these slices. Loaded but unused models keep their VRAM too: {_HOLDERS}",
        ),
    )


def _allocatable_below_compiled(hold: str) -> Alert:
    """Return the alert on what the scheduler sees; a resource that is not there at all counts as 0."""
    gone = f"0 * {SLICES_COMPILED} unless on (node, resource) kube_node_status_allocatable"
    return Alert(
        "GpuAllocatableBelowCompiled",
        "critical",
        f"{_ALLOCATABLE} < on (node, resource) group_left (pool) {SLICES_COMPILED} "
        f"or ({gone}) and on (node) kube_node_info",
        hold,
        "{{ $labels.node }} offers {{ $value }} of {{ $labels.resource }}, fewer than were compiled",
        "Pods that ask for it stay Pending. The device plugin is not running there, its driver is not loaded, it took "
        "a card away after an XID error, or it runs with an older configuration. Compiled: "
        f'{{{{ range query (printf "{SLICES_COMPILED}{{node=%q,resource=%q}}" $labels.node $labels.resource) }}}}'
        "{{ .Value }}{{ end }}.",
    )


def _xid(settings: Rules) -> Sequence[Alert]:
    critical, application = (
        "|".join(map(str, numbers)) for numbers in (settings.xid.critical, settings.xid.application)
    )
    known = "|".join(filter(None, (critical, application)))
    by_severity: tuple[tuple[str, Severity, str, str], ...] = (
        (
            "GpuXidCritical",
            "critical",
            f'{{xid=~"{critical}"}}',
            (
                "The card or its link is broken, or hangs until it is reset. NVIDIA's device plugin takes it away, so "
                "that new pods stay Pending. Look it up in NVIDIA's XID catalogue; reset the card or restart the node."
            ),
        ),
        (
            "GpuXidError",
            "warning",
            f'{{xid!~"{known}"}}' if known else "",
            (
                "Driver or hardware reported an error. NVIDIA's device plugin takes the card away until it is "
                "restarted, so that new pods stay Pending."
            ),
        ),
        (
            "GpuXidApplication",
            "info",
            f'{{xid=~"{application}"}}',
            (
                "A program on the card made a mistake, such as reading memory that is not its own, or ran out of it. "
                "The card stays in use; other pods on it may have been stopped too."
            ),
        ),
    )
    empty = {"GpuXidCritical": not critical, "GpuXidApplication": not application}
    return [
        Alert(
            name,
            severity,
            f"gpu:xid_errors:count5m{where} > 0",
            None,
            f"XID {{{{ $labels.xid }}}} on {_CARD}",
            description,
        )
        for name, severity, where, description in by_severity
        if not empty.get(name)
    ]


def as_rules(settings: Rules) -> list[Obj]:
    """Return the alerts as rules of Prometheus."""
    return [
        {
            "alert": alert.name,
            "expr": alert.expr,
            **({"for": alert.hold} if alert.hold else {}),
            "labels": {"severity": alert.severity, **settings.alert_labels},
            "annotations": {
                "summary": alert.summary,
                "description": alert.description,
                "runbook_url": f"{settings.runbook_url}#{alert.name.lower()}",
            },
        }
        for alert in alerts(settings)
    ]
