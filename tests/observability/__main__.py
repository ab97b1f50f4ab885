"""Prove dashboard and alerts, and print expected and actual values.

usage: python -m tests.observability
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TypeVar

from tests.observability import promtool
from tests.observability.build import BuildFailed, build
from tests.observability.compiled import Monitoring, monitoring
from tests.observability.expectations import Expected, Labels, Vector, read
from tests.observability.exporters import Exporters
from tests.observability.fleet import at_work, step
from tests.observability.victoria import Victoria, running

T = TypeVar("T")
_PATIENCE_S = 40
_SHOWN = ("node", "gpu", "GPU_I_ID", "namespace", "pod", "vgpu", "xid", "clock_event", "metric", "resource")


class NotProven(Exception):
    """Something did not come out as expected; the message has both."""


def main() -> int:
    """Build, prove, print. Returns 0, 1 where something is not as expected, and 5 where a program cannot be built."""
    try:
        binaries = build()
        compiled, expected = monitoring(), read()
        with tempfile.TemporaryDirectory() as folder:
            queries = _with_victoria(binaries, Path(folder) / "victoria", compiled, expected)
            promtool.check(binaries / "promtool", Path(folder) / "promtool", compiled, expected)
    except BuildFailed as error:
        print(f"error: {error}", file=sys.stderr)
        return 5
    except (NotProven, AssertionError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(
        f"\nProven: {queries} queries and {len(compiled.alerts)} alerts in {len(expected.steps)} load steps, "
        "with VictoriaMetrics and vmalert, and with promtool in the rules' own time."
    )
    return 0


def _with_victoria(binaries: Path, folder: Path, compiled: Monitoring, expected: Expected) -> int:
    """Prove every query while the fleet is at work, then every alert in its step; return how many queries."""
    queries = [(str(query), query.expr, vector) for query, vector in promtool.queries_with_answers(compiled, expected)]
    queries += [(expr, expr, vector) for expr, vector in expected.sums.items()]
    with Exporters(at_work()) as exporters, running(binaries, folder, exporters, compiled) as victoria:
        for name, expr, vector in queries:
            seen = _until(partial(victoria.query, expr), partial(_same, wanted=vector, expr=expr))
            _report(name, vector, seen, right=_same(seen, vector, expr))
        _fires(victoria, "at work", expected)
        for name in expected.steps:
            exporters.fleet = step(name)
            _fires(victoria, name, expected)
            exporters.fleet = at_work()
            _until(victoria.firing, lambda seen: not seen)
        _fires(victoria, "at work again", expected)
        if broken := victoria.broken_rules():
            raise NotProven(f"rules that vmalert cannot evaluate: {broken}")
    return len(queries)


def _fires(victoria: Victoria, name: str, expected: Expected) -> None:
    """Prove that in a step exactly the expected alerts fire, with their texts."""
    wanted = {(alert.alert, alert.labels): alert for alert in expected.steps.get(name, ())}
    start = time.monotonic()
    seen = _until(victoria.firing, lambda seen: seen.keys() == wanted.keys())
    print(f"\n{name} ({time.monotonic() - start:.1f} s)")
    print(f"    expected: {_alerts(wanted)}\n    actual:   {_alerts(seen)}", flush=True)
    if seen.keys() != wanted.keys():
        raise NotProven(f"{name}: other alerts fire")
    for key, alert in wanted.items():
        texts = seen[key]
        print(f"    {alert.alert}: {texts['summary']}")
        if texts["summary"] != alert.summary or alert.description not in (None, texts["description"]):
            raise NotProven(f"{name}: expected {alert.summary!r} and {alert.description!r}, seen {texts}")


def _until(ask: Callable[[], T], good: Callable[[T], bool]) -> T:
    """Ask until the answer is good or patience ends; return the last answer."""
    start = time.monotonic()
    while True:
        seen = ask()
        if good(seen) or time.monotonic() - start > _PATIENCE_S:
            return seen
        time.sleep(0.3)


def _same(seen: Vector, wanted: Vector, expr: str) -> bool:
    """Compare answers; what grows with time is as exact as the time of a scrape."""
    exact = 0.05 if "rate(" in expr else 1e-9
    return seen.keys() == wanted.keys() and all(
        math.isclose(seen[labels], value, rel_tol=exact, abs_tol=1e-9) for labels, value in wanted.items()
    )


def _report(name: str, wanted: Vector, seen: Vector, *, right: bool) -> None:
    print(
        f"{'ok ' if right else 'NOT'} {name}\n    expected: {_vector(wanted)}\n    actual:   {_vector(seen)}",
        flush=True,
    )
    if not right:
        raise NotProven(f"{name}: expected {wanted}, seen {seen}")


def _vector(vector: Vector) -> str:
    return "; ".join(f"{_labels(labels)}{value:.6g}" for labels, value in sorted(vector.items())) or "nothing"


def _labels(labels: Labels) -> str:
    shown = "/".join(value for key, value in labels if key in _SHOWN)
    return f"{shown} " if shown else ""


def _alerts(alerts: Iterable[tuple[str, Labels]]) -> str:
    return ", ".join(f"{name} {_labels(labels).strip()}" for name, labels in sorted(alerts)) or "none"


if __name__ == "__main__":
    sys.exit(main())
