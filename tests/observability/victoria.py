"""A real VictoriaMetrics that scrapes the fleet, and a real vmalert that evaluates the compiled rules over it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

from compiler.objects import Obj
from tests.e2e.processes import Programs, free_ports, listening
from tests.observability.compiled import Monitoring
from tests.observability.expectations import Labels, Vector, labels_of
from tests.observability.exporters import KUBE_STATE_METRICS, Exporters
from tests.observability.labelled import target

_EVERY = "1s"


@dataclass(frozen=True)
class Victoria:
    """Where the two programs answer."""

    database: str
    alerting: str

    def query(self, expr: str) -> Vector:
        """Return what an expression is worth now."""
        found = _get(f"{self.database}/api/v1/query?{urlencode({'query': expr, 'nocache': 1})}")["data"]["result"]
        return {labels_of(item["metric"]): float(item["value"][1]) for item in found}

    def firing(self) -> dict[tuple[str, Labels], dict[str, str]]:
        """Return the alerts that fire, with their annotations."""
        found = _get(f"{self.alerting}/api/v1/alerts")["data"]["alerts"]
        return {
            (item["name"], labels_of({k: v for k, v in item["labels"].items() if k not in _ADDED})): item["annotations"]
            for item in found
            if item["state"] == "firing"
        }

    def broken_rules(self) -> list[str]:
        """Return the rules that could not be evaluated, with the error."""
        groups = _get(f"{self.alerting}/api/v1/rules")["data"]["groups"]
        return [f"{rule['name']}: {rule['lastError']}" for g in groups for rule in g["rules"] if rule.get("lastError")]


_ADDED = ("alertname", "alertgroup", "severity")


@contextmanager
def running(binaries: Path, folder: Path, exporters: Exporters, monitoring: Monitoring) -> Iterator[Victoria]:
    """Run both programs; scrapes and evaluations come every second, and alerts hold for one second."""
    folder.mkdir(parents=True, exist_ok=True)
    scrape, rules = folder / "scrape.yaml", folder / "rules.yaml"
    scrape.write_text(json.dumps(scrape_config(exporters, monitoring.endpoint)), "utf-8")
    rules.write_text(json.dumps({"groups": hurried(monitoring.groups)}), "utf-8")
    database, alerting = (f"127.0.0.1:{port}" for port in free_ports(2))
    with Programs(folder / "logs") as programs:
        started = programs.start(
            "victoria-metrics",
            [
                binaries / "victoria-metrics",
                f"-storageDataPath={folder / 'data'}",
                f"-httpListenAddr={database}",
                f"-promscrape.config={scrape}",
                "-search.latencyOffset=0s",
                "-memory.allowedBytes=200MB",
            ],
        )
        started.wait_until(lambda: listening(int(database.rpartition(":")[2])), within_s=20)
        started = programs.start(
            "vmalert",
            [
                binaries / "vmalert",
                f"-rule={rules}",
                f"-httpListenAddr={alerting}",
                f"-datasource.url=http://{database}",
                f"-remoteWrite.url=http://{database}",
                "-remoteWrite.flushInterval=200ms",
                "-notifier.blackhole",
                "-rule.evalDelay=0s",
            ],
        )
        started.wait_until(lambda: listening(int(alerting.rpartition(":")[2])), within_s=20)
        yield Victoria(f"http://{database}", f"http://{alerting}")


def scrape_config(exporters: Exporters, endpoint: Obj) -> Obj:
    """Return the scrape configuration that an operator makes of the ServiceMonitor, with targets that are known."""
    address = f"127.0.0.1:{exporters.port}"
    targets = [
        {"targets": [address], "labels": {**target(node), "__metrics_path__": f"/{node.name}/metrics"}}
        for node in exporters.fleet.nodes.values()
    ]
    return {
        "global": {"scrape_interval": _EVERY, "scrape_timeout": _EVERY},
        "scrape_configs": [
            {
                "job_name": "dcgm-exporter",
                "honor_labels": endpoint["honorLabels"],
                "static_configs": targets,
                "relabel_configs": [_spelled(step) for step in endpoint["relabelings"]],
                "metric_relabel_configs": [_spelled(step) for step in endpoint["metricRelabelings"]],
            },
            {
                "job_name": KUBE_STATE_METRICS,
                "static_configs": [{"targets": [address]}],
                "metrics_path": f"/{KUBE_STATE_METRICS}/metrics",
            },
        ],
    }


def hurried(groups: list[Obj]) -> list[Obj]:
    """Return the groups with every interval and `for` shortened to a second; expressions and texts stay."""
    found = deepcopy(groups)
    for group in found:
        group["interval"] = _EVERY
        for rule in group["rules"]:
            if "for" in rule:
                rule["for"] = _EVERY
    return found


def _spelled(step: Obj) -> Obj:
    names = {"sourceLabels": "source_labels", "targetLabel": "target_label"}
    return {names.get(key, key): value for key, value in step.items()}


def _get(url: str) -> Any:
    with urlopen(url, timeout=10) as answer:  # noqa: S310 -- a program of ours on 127.0.0.1
        return json.load(answer)
