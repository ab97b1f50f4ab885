"""Recording rules: each card once, each pod once, under names that say the unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compiler.model.advertised import advertised
from compiler.model.overlay import NodePool
from compiler.monitoring import expressions as promql
from compiler.objects import Obj

CARDS_COMPILED = "gpu_node:cards_compiled:count"
SLICES_COMPILED = "gpu_node:slices_compiled:count"


@dataclass(frozen=True)
class Series:
    """A recorded series: its name, what it is, and the expression that makes it."""

    name: str
    help: str
    expr: str


SERIES = (
    Series("gpu:utilisation:percent", "Utilisation of each card", promql.of_part("DCGM_FI_DEV_GPU_UTIL")),
    Series("gpu:vram_used:mebibytes", "VRAM in use on each card", promql.of_part("DCGM_FI_DEV_FB_USED")),
    Series("gpu:vram_free:mebibytes", "VRAM free on each card", promql.of_part("DCGM_FI_DEV_FB_FREE")),
    Series("gpu:vram_total:mebibytes", "VRAM of each card", promql.of_part("DCGM_FI_DEV_FB_TOTAL")),
    Series("gpu:vram_held:ratio", "Part of the VRAM that nobody can allocate any more", promql.vram_held()),
    Series("gpu:vram_unattributed:mebibytes", "VRAM in use that belongs to no pod", promql.vram_unattributed()),
    Series("gpu:slices_taken:count", "Slices of each card that pods hold", promql.slices_taken()),
    Series("gpu:temperature:celsius", "Temperature of each card", promql.of_card("DCGM_FI_DEV_GPU_TEMP")),
    Series("gpu:temperature_limit:celsius", "Temperature at which a card slows down", promql.temperature_limit()),
    Series("gpu:power:watts", "Power draw of each card", promql.of_card("DCGM_FI_DEV_POWER_USAGE")),
    Series(
        "gpu:power_limit:watts",
        "Power limit in force on each card",
        promql.of_card("DCGM_FI_DEV_ENFORCED_POWER_LIMIT"),
    ),
    Series(
        "gpu:xid_errors:count5m",
        "XID errors of each card in five minutes, by number",
        promql.of_card("DCGM_EXP_XID_ERRORS_COUNT", 'xid!="",xid!="0"', "xid"),
    ),
    Series(
        "gpu:clock_events:count5m",
        "Samples of each card in five minutes in which something lowered its clocks, by reason",
        promql.of_card("DCGM_EXP_CLOCK_EVENTS_COUNT", 'clock_event!=""', "clock_event"),
    ),
    Series("gpu_pod:utilisation:percent", "Utilisation by each pod", promql.of_pod("DCGM_FI_DEV_GPU_UTIL")),
    Series("gpu_pod:vram_used:mebibytes", "VRAM in use by each pod", promql.of_pod("DCGM_FI_DEV_FB_USED")),
    Series("gpu_node:cards:count", "Cards seen on each node", f"count {promql.by(promql.NODE)} ({promql.cards()})"),
    Series(
        "gpu_node:power:watts",
        "Power draw of each node's cards",
        f"sum {promql.by(promql.NODE)} ({promql.of_card('DCGM_FI_DEV_POWER_USAGE')})",
    ),
    Series(
        "gpu_node:vram_used:mebibytes",
        "VRAM in use on each node's cards",
        f"sum {promql.by(promql.NODE)} ({promql.of_part('DCGM_FI_DEV_FB_USED')})",
    ),
    Series(
        "gpu_node:vram_total:mebibytes",
        "VRAM of each node's cards",
        f"sum {promql.by(promql.NODE)} ({promql.of_part('DCGM_FI_DEV_FB_TOTAL')})",
    ),
)


def recorded() -> list[Obj]:
    """Return the recording rules that are the same for every environment."""
    return [{"record": series.name, "expr": series.expr} for series in SERIES]


def compiled(pools: Sequence[NodePool]) -> list[Obj]:
    """Return what each node should have, as series: cards, and slices by resource.

    For nodes that are named it is always there. For nodes that are chosen by label it is there while the exporter runs
    on them, since gpuc does not know their names.
    """
    return [rule for pool in pools for rule in _of_pool(pool)]


def resource_label(resource: str) -> str:
    """Return a resource's name as kube-state-metrics writes it in the label `resource`.

    Source: kube-state-metrics, internal/store/utils.go: everything but letters, digits and `_` becomes `_`.
    """
    return "".join(char if char.isascii() and char.isalnum() else "_" for char in resource)


def _of_pool(pool: NodePool) -> Iterator[Obj]:
    counts: list[tuple[str, int, dict[str, str]]] = [(CARDS_COMPILED, pool.gpu.count, {})]
    for resource, count in sorted((advertised(pool) or {}).items()):
        counts.append((SLICES_COMPILED, count, {"resource": resource_label(resource)}))
    for name, count, labels in counts:
        if pool.nodes:
            for node in pool.nodes:
                own = {"node": node.name, "pool": pool.name, **labels}
                yield {"record": name, "expr": f"vector({count})", "labels": own}
        else:
            seen = promql.select("DCGM_FI_DEV_GPU_TEMP", f'pool="{pool.name}"')
            expr = f"0 * group {promql.by(promql.NODE)} ({seen}) + {count}"
            yield {"record": name, "expr": expr, **({"labels": labels} if labels else {})}
