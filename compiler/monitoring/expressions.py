"""PromQL that counts no card twice.

Under time-slicing the exporter repeats the values of a card for each of its pods, with a label `pod`. For GPU_UTIL and
FB_USED it publishes the card's own value without that label, and beside it what each pod uses. Exporters before 4.8
repeat the card's value for those two as well. So:

- a card's value is the series without a pod, or else the greatest of the copies, which are all the same;
- a pod's value is the greatest of its series: a pod that holds two slices appears twice, with the same value;
- sums are made over cards only, or over pods only.

A card that MIG splits is several parts, told apart by GPU_I_ID; temperature, power and clocks are the whole card's.
Sources: dcgm-exporter, internal/pkg/transformation (process_metrics.go, kubernetes.go) and #594, #725.
"""

from __future__ import annotations

CARD = ("cluster", "pool", "node", "gpu", "UUID", "modelName")
PART = (*CARD, "GPU_I_ID", "GPU_I_PROFILE")
POD = (*PART, "namespace", "pod")
NODE = ("cluster", "pool", "node")
_A_POD, _NO_POD = 'pod!=""', 'pod=""'


def by(labels: tuple[str, ...]) -> str:
    """Return the grouping clause for labels; those that a series lacks do no harm."""
    return f"by ({', '.join(labels)})"


def select(field: str, *matchers: str) -> str:
    """Return a selector such as `DCGM_FI_DEV_FB_USED{pod!=""}`."""
    found = ",".join(matcher for matcher in matchers if matcher)
    return f"{field}{{{found}}}" if found else field


def of_card(field: str, where: str = "", *labels: str) -> str:
    """Return a field that belongs to the whole card; `labels` are kept besides the card's, such as `xid`."""
    return f"max {by((*CARD, *labels))} ({select(field, where)})"


def of_part(field: str, where: str = "") -> str:
    """Return a field of each card, or of each part that MIG makes of it."""
    grouped = f"max {by(PART)}"
    own = select(field, _NO_POD, where)
    return f"({grouped} ({own}) or {grouped} ({select(field, where)}))"


def of_pod(field: str, where: str = "") -> str:
    """Return a field of each pod; true for shared cards where the field is one of those that are told per pod."""
    return f"max {by(POD)} ({select(field, _A_POD, where)})"


def slices_taken(where: str = "") -> str:
    """Return how many slices of each card (or part) pods hold: one for each pod, container and slice."""
    held = f"count {by((*POD, 'container', 'vgpu'))} ({select('DCGM_FI_DEV_FB_USED', _A_POD, where)})"
    return f"(count {by(PART)} ({held}) or 0 * {of_part('DCGM_FI_DEV_FB_TOTAL', where)})"


def vram_held(where: str = "") -> str:
    """Return the ratio of VRAM that cannot be allocated any more, the driver's reserve included."""
    total = of_part("DCGM_FI_DEV_FB_TOTAL", where)
    return f"({total} - {of_part('DCGM_FI_DEV_FB_FREE', where)}) / {total}"


def vram_unattributed(where: str = "") -> str:
    """Return the VRAM in use that belongs to no pod: of processes outside Kubernetes, or of the driver itself."""
    used = of_part("DCGM_FI_DEV_FB_USED", where)
    pods = f"sum {by(PART)} ({of_pod('DCGM_FI_DEV_FB_USED', where)})"
    return f"clamp_min({used} - ({pods} or 0 * {used}), 0)"


def temperature_limit(where: str = "") -> str:
    """Return the temperature at which a card slows down.

    Cards tell it as such (a small number there is no temperature but a distance, which newer cards give), or as the
    degrees that are left.
    """
    told = f"{of_card('DCGM_FI_DEV_SLOWDOWN_TEMP', where)} > 50"
    left = f"{of_card('DCGM_FI_DEV_GPU_TEMP', where)} + {of_card('DCGM_FI_DEV_GPU_TEMP_LIMIT', where)}"
    return f"({told} or {left})"


def cards(where: str = "") -> str:
    """Return one series of value 1 for each physical card that is seen."""
    return f"group {by(CARD)} ({select('DCGM_FI_DEV_GPU_TEMP', where)})"
