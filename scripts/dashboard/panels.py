"""What the dashboard shows: rows of panels, their queries, and what they say where a card gives nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from compiler.monitoring import expressions as promql
from compiler.monitoring.expressions import by, of_card, of_part, of_pod

Kind = Literal["stat", "timeseries", "table", "bargauge"]

NODE = 'node=~"$node"'
CARD = 'node=~"$node",UUID=~"$card"'
EVERYWHERE = "No data: nothing scrapes the DCGM exporter, or it does not run (see the alert GpuExporterAbsent)"


@dataclass(frozen=True)
class Query:
    """A query and the name of its series; `line` draws it as a line above stacked areas."""

    expr: str
    legend: str
    line: bool = False


@dataclass(frozen=True)
class Panel:
    """A panel: `unit` is Grafana's name of it, `width` is in 24ths of the screen."""

    title: str
    kind: Kind
    unit: str
    description: str
    queries: tuple[Query, ...]
    no_data: str = EVERYWHERE
    width: int = 12
    height: int = 8
    stacked: bool = False
    columns: tuple[tuple[str, str], ...] = ()


def _sum(of: str, labels: tuple[str, ...] = ()) -> str:
    return f"sum {by(labels)} ({of})" if labels else f"sum({of})"


def _rate(counter: str, window: str) -> str:
    """Return how fast a counter of each chosen card grows, in a second.

    `rate` and not `increase`: a new pod on a shared card begins new series of all counters, and VictoriaMetrics counts
    the first value of a series as an increase.
    """
    return f"max {by(promql.CARD)} (rate({promql.select(counter, CARD)}[{window}]))"


_OF_CARD = "GPU {{gpu}} {{GPU_I_PROFILE}} on {{node}}"
_OF_POD = "{{namespace}}/{{pod}}"
_ALLOCATABLE = (
    'sum(max by (cluster, node, resource) (kube_node_status_allocatable{resource=~"nvidia_com_(gpu|mig_).*"}))'
)
_TOTAL, _USED, _FREE = (f"DCGM_FI_DEV_FB_{name}" for name in ("TOTAL", "USED", "FREE"))
_XIDS = of_card("DCGM_EXP_XID_ERRORS_COUNT", 'xid!="",xid!="0"', "xid")
_NODE_ONLY = ("node",)


def _fleet(title: str, unit: str, description: str, expr: str, no_data: str = EVERYWHERE, **more: Query) -> Panel:
    queries = (Query(expr, title.lower()), *more.values())
    return Panel(title, "stat", unit, description, queries, no_data, width=6 if more else 3, height=4)


FLEET = (
    _fleet("Cards", "none", "Physical cards that an exporter sees, each once.", f"count({promql.cards()})"),
    _fleet(
        "Slices",
        "none",
        "Slices that pods hold, and slices that the nodes offer. The second needs kube-state-metrics.",
        _sum(promql.slices_taken()),
        "No data: no exporter is scraped, and there is no kube-state-metrics",
        offered=Query(_ALLOCATABLE, "offered"),
    ),
    _fleet(
        "VRAM in use",
        "percent",
        "VRAM in use on all cards, of all that they have.",
        f"100 * {_sum(of_part(_USED))} / {_sum(of_part(_TOTAL))}",
    ),
    _fleet(
        "Utilisation",
        "percent",
        "Mean utilisation of the cards, each counted once.",
        f"avg({of_part('DCGM_FI_DEV_GPU_UTIL')})",
        "No data: no exporter is scraped, or every card is split by MIG, for which there is no utilisation",
    ),
    _fleet("Power", "watt", "Power draw of all cards together.", _sum(of_card("DCGM_FI_DEV_POWER_USAGE"))),
    _fleet("Hottest card", "celsius", "The highest temperature.", f"max({of_card('DCGM_FI_DEV_GPU_TEMP')})"),
    _fleet(
        "XID errors",
        "none",
        "XID errors on all cards in the last five minutes.",
        f"{_sum(_XIDS)} or 0 * count({promql.cards()})",
    ),
    Panel(
        "Nodes",
        "table",
        "none",
        "Each node once: cards, slices that pods hold, mean utilisation, VRAM, power and the hottest card.",
        (
            Query(f"count {by(_NODE_ONLY)} ({promql.cards()})", "cards"),
            Query(_sum(promql.slices_taken(), _NODE_ONLY), "slices"),
            Query(f"avg {by(_NODE_ONLY)} ({of_part('DCGM_FI_DEV_GPU_UTIL')})", "utilisation"),
            Query(_sum(of_part(_USED), _NODE_ONLY), "used"),
            Query(_sum(of_part(_TOTAL), _NODE_ONLY), "total"),
            Query(_sum(of_card("DCGM_FI_DEV_POWER_USAGE"), _NODE_ONLY), "power"),
            Query(f"max {by(_NODE_ONLY)} ({of_card('DCGM_FI_DEV_GPU_TEMP')})", "temperature"),
        ),
        width=24,
        columns=(
            ("Cards", "none"),
            ("Slices held", "none"),
            ("Utilisation", "percent"),
            ("VRAM in use", "mbytes"),
            ("VRAM", "mbytes"),
            ("Power", "watt"),
            ("Hottest card", "celsius"),
        ),
    ),
)

NODES = (
    Panel(
        "Utilisation by card",
        "timeseries",
        "percent",
        "How busy each card of the chosen nodes is.",
        (Query(of_part("DCGM_FI_DEV_GPU_UTIL", NODE), _OF_CARD),),
        "No data: no exporter is scraped, or the card is split by MIG, for which there is no utilisation",
        width=8,
    ),
    Panel(
        "VRAM by card",
        "timeseries",
        "percent",
        "VRAM that cannot be allocated any more, the driver's reserve included. The alert looks at the same number.",
        (Query(f"100 * {promql.vram_held(NODE)}", _OF_CARD),),
        width=8,
    ),
    Panel(
        "Power by node",
        "timeseries",
        "watt",
        "Power draw of all cards of a node.",
        (Query(_sum(of_card("DCGM_FI_DEV_POWER_USAGE", NODE), _NODE_ONLY), "{{node}}"),),
        width=8,
    ),
)

CARDS = (
    Panel(
        "Utilisation of the chosen cards",
        "timeseries",
        "percent",
        "Time in which the card, its memory interface, encoder and decoder are busy.",
        (
            Query(of_part("DCGM_FI_DEV_GPU_UTIL", CARD), f"GPU, {_OF_CARD}"),
            Query(of_card("DCGM_FI_DEV_MEM_COPY_UTIL", CARD), f"memory, {_OF_CARD}"),
            Query(of_card("DCGM_FI_DEV_ENC_UTIL", CARD), f"encoder, {_OF_CARD}"),
            Query(of_card("DCGM_FI_DEV_DEC_UTIL", CARD), f"decoder, {_OF_CARD}"),
        ),
        "No data: no exporter is scraped, or the card is split by MIG, for which there is no utilisation",
    ),
    Panel(
        "VRAM",
        "timeseries",
        "mbytes",
        "VRAM in use, what the driver keeps for itself, and all that the card has.",
        (
            Query(of_part(_USED, CARD), f"in use, {_OF_CARD}"),
            Query(of_part("DCGM_FI_DEV_FB_RESERVED", CARD), f"reserved, {_OF_CARD}"),
            Query(of_part(_TOTAL, CARD), f"all, {_OF_CARD}"),
        ),
    ),
    Panel(
        "Temperature",
        "timeseries",
        "celsius",
        "GPU and memory, and the temperature at which the card slows down.",
        (
            Query(of_card("DCGM_FI_DEV_GPU_TEMP", CARD), f"GPU, {_OF_CARD}"),
            Query(of_card("DCGM_FI_DEV_MEMORY_TEMP", CARD), f"memory, {_OF_CARD}"),
            Query(promql.temperature_limit(CARD), f"limit, {_OF_CARD}"),
        ),
    ),
    Panel(
        "Power of the chosen cards",
        "timeseries",
        "watt",
        "Power draw and the limit in force.",
        (
            Query(of_card("DCGM_FI_DEV_POWER_USAGE", CARD), f"draw, {_OF_CARD}"),
            Query(of_card("DCGM_FI_DEV_ENFORCED_POWER_LIMIT", CARD), f"limit, {_OF_CARD}"),
        ),
    ),
    Panel(
        "Clocks",
        "timeseries",
        "suffix: MHz",
        "Clocks of the multiprocessors and of the memory.",
        (
            Query(of_card("DCGM_FI_DEV_SM_CLOCK", CARD), f"SM, {_OF_CARD}"),
            Query(of_card("DCGM_FI_DEV_MEM_CLOCK", CARD), f"memory, {_OF_CARD}"),
        ),
        width=8,
    ),
    Panel(
        "Slowed down by",
        "timeseries",
        "none",
        "How many samples in five minutes had a reason for lower clocks, by reason; being idle is left out.",
        (
            Query(
                of_card(
                    "DCGM_EXP_CLOCK_EVENTS_COUNT", f'clock_event!="",clock_event!="gpu_idle",{CARD}', "clock_event"
                ),
                f"{{{{clock_event}}}}, {_OF_CARD}",
            ),
        ),
        "No data: nothing slowed a card down, or the card does not tell",
        width=8,
    ),
    Panel(
        "Fan",
        "timeseries",
        "percent",
        "Fan speed in percent of the greatest.",
        (Query(of_card("DCGM_FI_DEV_FAN_SPEED", CARD), _OF_CARD),),
        "No data: the card has no fan of its own (most data-centre cards)",
        width=8,
    ),
    Panel(
        "XID errors by number",
        "timeseries",
        "none",
        "XID errors in five minutes.",
        (
            Query(
                of_card("DCGM_EXP_XID_ERRORS_COUNT", f'xid!="",xid!="0",{CARD}', "xid"),
                f"XID {{{{xid}}}}, {_OF_CARD}",
            ),
        ),
        "No XID errors in this time",
        width=8,
    ),
    Panel(
        "Last XID",
        "stat",
        "none",
        "The last XID error since the exporter's start, however long ago; 0 is none.",
        (Query(of_card("DCGM_FI_DEV_XID_ERRORS", CARD), _OF_CARD),),
        width=4,
    ),
    Panel(
        "Energy in the last hour",
        "stat",
        "kwatth",
        "Energy that each card used.",
        (
            Query(
                f"3600 * {_rate('DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION', '1h')} / 3.6e9",
                _OF_CARD,
            ),
        ),
        "No data: the card counts no energy (before Volta)",
        width=4,
    ),
    Panel(
        "PCIe retries",
        "timeseries",
        "none",
        "Retries on the bus in five minutes. Many of them mean a bad riser or slot.",
        (
            Query(
                f"300 * {_rate('DCGM_FI_DEV_PCIE_REPLAY_COUNTER', '5m')}",
                _OF_CARD,
            ),
        ),
        width=8,
    ),
    Panel(
        "Engines",
        "timeseries",
        "percentunit",
        "Part of the time in which the engines, the tensor pipe and the memory interface of data-centre cards work.",
        (
            Query(of_part("DCGM_FI_PROF_GR_ENGINE_ACTIVE", CARD), f"engine, {_OF_CARD}"),
            Query(of_part("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", CARD), f"tensor, {_OF_CARD}"),
            Query(of_part("DCGM_FI_PROF_DRAM_ACTIVE", CARD), f"memory, {_OF_CARD}"),
        ),
        "No data: GeForce cards have no profiling metrics; on data-centre cards set dcgmExporter.profiling: true",
        width=24,
    ),
)

_NO_PODS = "No data: no pod holds a slice, or dcgmExporter.podAttribution is false"
_POD_NAME = ("namespace", "pod")

SLICES = (
    Panel(
        "Who holds the slices",
        "table",
        "mbytes",
        "One line for each slice, with the VRAM of its pod; a pod with two slices has two lines with the same VRAM.",
        (
            Query(
                f"max by (node, gpu, GPU_I_ID, namespace, pod, container, vgpu) "
                f"({promql.select(_USED, 'pod!=' + chr(34) * 2, CARD)})",
                "slices",
            ),
        ),
        _NO_PODS,
        columns=(("VRAM of the pod", "mbytes"),),
    ),
    Panel(
        "VRAM by pod, in percent of its card",
        "bargauge",
        "percent",
        "What each pod uses now. Several pods of a card add up to the card.",
        (
            Query(
                f"100 * {of_pod(_USED, CARD)} / on ({', '.join(promql.PART)}) group_left () {of_part(_TOTAL, CARD)}",
                f"{_OF_POD}, {_OF_CARD}",
            ),
        ),
        _NO_PODS,
    ),
    Panel(
        "VRAM by pod",
        "timeseries",
        "mbytes",
        "Pods stacked on each other, with what belongs to no pod: together they reach the line of what is in use. "
        "The line above is all VRAM of the chosen cards.",
        (
            Query(_sum(of_pod(_USED, CARD), _POD_NAME), _OF_POD),
            Query(_sum(promql.vram_unattributed(CARD)), "no pod"),
            Query(_sum(of_part(_USED, CARD)), "in use", line=True),
            Query(_sum(of_part(_TOTAL, CARD)), "all", line=True),
        ),
        _NO_PODS,
        stacked=True,
    ),
    Panel(
        "Utilisation by pod",
        "timeseries",
        "percent",
        "Time in which a pod's own processes keep the card busy. A pod on two cards can reach 200 %.",
        (Query(_sum(of_pod("DCGM_FI_DEV_GPU_UTIL", CARD), _POD_NAME), _OF_POD),),
        "No data: no pod holds a slice, podAttribution is false, or the card is split by MIG",
    ),
)

_MISSING = (
    ("memory temperature", "only cards with HBM tell it; GeForce cards do not", "DCGM_FI_DEV_MEMORY_TEMP"),
    ("fan", "the card has no fan of its own", "DCGM_FI_DEV_FAN_SPEED"),
    ("utilisation", "there is none for a card that MIG splits", "DCGM_FI_DEV_GPU_UTIL"),
    ("power limit", "the driver does not tell it for this card", "DCGM_FI_DEV_ENFORCED_POWER_LIMIT"),
    ("energy", "cards before Volta do not count it", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"),
    (
        "engines",
        "GeForce cards have no profiling metrics; others need dcgmExporter.profiling",
        "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
    ),
    ("slowdown temperature", "the alert takes the fixed threshold instead", ""),
)


def _missing() -> str:
    parts = []
    for what, why, field in _MISSING:
        there = of_card(field, CARD) if field else promql.temperature_limit(CARD)
        gap = f"{promql.cards(CARD)} unless {there}"
        parts.append(f'label_replace(label_replace({gap}, "metric", "{what}", "", ""), "why", "{why}", "", "")')
    return " or ".join(parts)


GAPS = (
    Panel(
        "What these cards do not tell",
        "table",
        "none",
        "Metrics that are missing for a card although its exporter is scraped, and why.",
        (Query(_missing(), "gaps"),),
        "Nothing is missing, or no exporter is scraped",
        width=24,
    ),
)

ROWS = (
    ("Fleet", FLEET),
    ("Nodes", NODES),
    ("Cards", CARDS),
    ("Slices", SLICES),
    ("Missing data", GAPS),
)
