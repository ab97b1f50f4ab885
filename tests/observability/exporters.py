"""Serves the fleet's numbers over HTTP, as Prometheus' text format."""

from __future__ import annotations

import time
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Self

from tests.observability.fleet import Fleet, Series

KUBE_STATE_METRICS = "kube-state-metrics"


def text(series: Iterable[Series]) -> str:
    """Return series as an exporter prints them: each metric's series together, under its type."""
    by_name: dict[str, list[str]] = {}
    for name, labels, value in series:
        shown = ",".join(f'{key}="{label}"' for key, label in labels.items())
        by_name.setdefault(name, []).append(f"{name}{{{shown}}} {value:.12g}")
    counters = ("TOTAL_ENERGY_CONSUMPTION", "PCIE_REPLAY_COUNTER")
    return "".join(
        f"# TYPE {name} {'counter' if name.endswith(counters) else 'gauge'}\n" + "\n".join(lines) + "\n"
        for name, lines in by_name.items()
    )


class Exporters:
    """One HTTP server for all: `/<node>/metrics` is the node's exporter; one that is down answers 503."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet
        self._start = time.monotonic()
        exporters = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, body = exporters.answer(self.path)
                self.send_response(status)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_: object) -> None:
                """Print nothing for each scrape."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port

    def answer(self, path: str) -> tuple[int, str]:
        """Return status and body for a path."""
        name = path.split("/")[1]
        if name == KUBE_STATE_METRICS:
            return 200, text(self.fleet.kube_state_metrics())
        node = self.fleet.nodes.get(name)
        return (200, text(node.series(time.monotonic() - self._start))) if node and node.up else (503, "")

    def __enter__(self) -> Self:
        Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
