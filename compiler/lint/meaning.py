"""Groups findings by what they mean for the person who reads them, the most urgent first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from compiler.diagnostics import Diagnostic

UNREADABLE: Final = "What could not be read"
NO_GPU: Final = "Why no GPU is advertised"
CONFIGURATION: Final = "The device plugin's configuration"
VALUES: Final = "Chart values that do nothing, or something else"
WORKLOADS: Final = "What workloads ask for"
METRICS: Final = "Metrics"
TALOS: Final = "Talos"
OBJECTS: Final = "What is applied, and how"

# Within a group in this order: the first broken link of the chain explains those after it.
_CHAIN: Final = (
    # Labels and taints.
    *("GPU204", "GPU201", "GPU203"),
    # Nothing starts, or labels are taken away.
    *("GPU604", "GPU603", "GPU607", "GPU608", "GPU230", "GPU223"),
    # It starts without the driver.
    *("GPU206", "GPU207", "GPU208", "GPU708", "GPU236", "GPU237"),
    # Pods are refused, or compete.
    *("GPU225", "GPU221", "GPU216", "GPU217", "GPU226", "GPU227", "GPU229"),
)
_BY_CODE: Final[dict[str, str]] = {
    **dict.fromkeys(_CHAIN, NO_GPU),
    **dict.fromkeys(("GPU238", "GPU246", "GPU247", "GPU218"), CONFIGURATION),
    **dict.fromkeys(("GPU202", "GPU239", "GPU240", "GPU241", "GPU242", "GPU314"), WORKLOADS),
    **dict.fromkeys(("GPU205", "GPU211", "GPU212", "GPU213", "GPU214", "GPU232", "GPU233", "GPU234"), METRICS),
}
_BY_HUNDRED: Final = {"GPU0": UNREADABLE, "GPU3": CONFIGURATION, "GPU6": VALUES, "GPU7": TALOS}
_ORDER: Final = (UNREADABLE, NO_GPU, CONFIGURATION, VALUES, WORKLOADS, METRICS, TALOS, OBJECTS)


def group_of(code: str) -> str:
    """Return the heading that findings of a rule belong below."""
    return _BY_CODE.get(code) or _BY_HUNDRED.get(code[:4]) or OBJECTS


def grouped(diagnostics: Sequence[Diagnostic]) -> list[tuple[str, list[list[Diagnostic]]]]:
    """Return findings below their headings; within one those of a rule with the same cure together, errors first."""
    groups: dict[str, dict[tuple[str, str | None], list[Diagnostic]]] = {}
    for found in diagnostics:
        alike = groups.setdefault(group_of(found.rule), {})
        alike.setdefault((found.rule, found.help), []).append(found)
    return [(heading, sorted(groups[heading].values(), key=_urgency)) for heading in sorted(groups, key=_ORDER.index)]


def _urgency(alike: list[Diagnostic]) -> tuple[int, bool, str]:
    first = alike[0]
    known = _CHAIN.index(first.rule) if first.rule in _CHAIN else len(_CHAIN)
    return known, not any(found.is_error for found in alike), first.rule
