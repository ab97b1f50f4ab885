"""Rules and a scrape job as plain files, for a Prometheus or VictoriaMetrics that no operator configures."""

from __future__ import annotations

from compiler.components.dcgm_exporter import NAME, exporter_settings
from compiler.kustomize.tree import HEADER, Tree
from compiler.model.environment import Environment
from compiler.monitoring import groups
from compiler.monitoring.scrape import job
from compiler.yaml.emit import emit


def add(tree: Tree, environment: Environment) -> None:
    """Add `prometheus/<overlay>/rules.yaml` and `scrape.yaml`, where the stack asks for them."""
    stack = environment.stack
    if not (stack.has_dcgm_exporter and stack.monitoring.plain_files):
        return
    folder = f"prometheus/{environment.name}"
    settings, scraped = stack.monitoring.rules, exporter_settings(stack).service_monitor
    found = [*groups.compiled(settings, environment.overlay.node_pools), *groups.common(settings)]
    tree.add(f"{folder}/rules.yaml", HEADER + emit({"groups": found}), "data")
    scrape = job(stack.namespace_name, NAME, scraped.interval, scraped.scrape_timeout)
    tree.add(f"{folder}/scrape.yaml", HEADER + emit({"scrape_configs": [scrape]}), "data")
