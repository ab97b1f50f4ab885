"""A scrape may take longer than the time between scrapes.

What it does: compares `scrapeTimeout` with `interval` in the endpoints of ServiceMonitors and PodMonitors.

Why it fails at run time: the operator refuses the monitor ("scrapeTimeout greater than interval"), and says so only in
its own log. Source: prometheus-operator, pkg/prometheus/validation.

How to mend it: make the timeout at most the interval.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from compiler.check.objects.plain import items, text
from compiler.check.rule import Finding, SceneRule
from compiler.check.scene import Scene

_DURATION = re.compile(
    r"(?:(\d{1,9})y)?(?:(\d{1,9})w)?(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?"
)
_MILLISECONDS = (31_536_000_000, 604_800_000, 86_400_000, 3_600_000, 60_000, 1000, 1)
_ENDPOINTS = {"ServiceMonitor": "endpoints", "PodMonitor": "podMetricsEndpoints"}


def _milliseconds(duration: str) -> int | None:
    match = _DURATION.fullmatch(duration)
    if not duration or not match:
        return None
    return sum(int(count or 0) * unit for count, unit in zip(match.groups(), _MILLISECONDS, strict=True))


def _check(scene: Scene) -> Iterator[Finding]:
    for item in scene.of_kind(*_ENDPOINTS):
        key = _ENDPOINTS[item.kind]
        for index, endpoint in items(item.get("spec", key)):
            timeout, interval = text(endpoint.get("scrapeTimeout")), text(endpoint.get("interval"))
            longest, between = _milliseconds(timeout), _milliseconds(interval)
            if longest is not None and between is not None and longest > between:
                yield Finding(
                    f"{item} scrapes every {interval} with a timeout of {timeout}: the operator refuses it, silently "
                    "for its author",
                    item.place(("spec", key, index, "scrapeTimeout")),
                    f"use a scrapeTimeout of at most {interval}",
                )


RULE = SceneRule("GPU214", "scrape-timeout", _check)
