"""Rows for what components say beside pods: configurations, rules, monitors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from compiler.explain.rows import Row, row

_CONFIG: Final = "k8s-device-plugin, api/config/v1"

DATA: Final[Sequence[Row]] = (
    row("config", r"flags\.migStrategy", "pool:mig.strategy", "How the plugin names MIG instances.", _CONFIG),
    row(
        "counters",
        r".*",
        "own:counters own:profiling",
        "A field that the exporter publishes: exactly three parts between commas, or the exporter ends at its start.",
        "dcgm-exporter, counters file",
    ),
    row(
        "config",
        r"sharing(\..*)?",
        "pool:sharing",
        "How often each device is advertised. It is in the file only: the environment would win silently.",
        _CONFIG,
    ),
    row(
        "config",
        r"flags\.failOnInitError",
        "stack:devicePlugin.failOnInitError",
        "A missing driver shows as a crashing pod instead of a silent node without GPUs.",
        _CONFIG,
    ),
    row("config", r"flags\.nvidiaDriverRoot", "stack:devicePlugin.nvidiaDriverRoot", "Where the driver is.", _CONFIG),
    row(
        "config",
        r"flags\.deviceDiscoveryStrategy",
        "stack:devicePlugin.deviceDiscoveryStrategy",
        "nvml asks the driver; `auto` probes paths that Talos does not have.",
        _CONFIG,
    ),
    row("config", r"flags\.mpsRoot", "stack:devicePlugin.mpsRoot", "Where MPS keeps its pipes.", _CONFIG),
    row(
        "config",
        r"flags\.plugin\.passDeviceSpecs",
        "stack:devicePlugin.passDeviceSpecs",
        "Only the static CPU manager needs device nodes in the plugin's answer.",
        _CONFIG,
    ),
    row(
        "config",
        r"flags\.plugin\.deviceListStrategy.*",
        "stack:devicePlugin.deviceListStrategy",
        "envvar works on every Talos release; CDI mounts fail up to 1.12.",
        _CONFIG,
    ),
    row(
        "config",
        r"flags\.plugin\.deviceIDStrategy",
        "stack:devicePlugin.deviceIDStrategy",
        "A UUID stays with the card when the order of cards changes.",
        _CONFIG,
    ),
    row(
        "config",
        r".*",
        "stack:devicePlugin pool:sharing",
        "The plugin's configuration; GFD and the MPS daemon read the same file.",
        _CONFIG,
    ),
    row(
        "node-feature-discovery",
        r"sources\.pci\.deviceClassWhitelist.*",
        "stack:nodeFeatureDiscovery.pci.deviceClassWhitelist",
        "Display controllers are class 03, network cards 02.",
    ),
    row(
        "node-feature-discovery",
        r"sources\.pci\.deviceLabelFields.*",
        "stack:nodeFeatureDiscovery.pci.deviceLabelFields",
        "The vendor alone makes the label pci-10de.present, which NVIDIA's charts and many selectors expect.",
    ),
    row(
        "node-feature-rule",
        r"spec(\..*)?",
        "stack:nodeFeatureDiscovery pool:nodes",
        "NFD's rule: a PCI device of vendor 10de, a display controller, makes nvidia.com/gpu.present=true; where there "
        "are "
        "several pools of named nodes it labels them too.",
        "NFD, NodeFeatureRule",
    ),
    row("service-monitor", r"spec\.endpoints\[[^\]]*\]\.interval", "own:interval", "Time between two scrapes."),
    row(
        "service-monitor",
        r"spec\.endpoints\[[^\]]*\]\.scrapeTimeout",
        "own:scrapeTimeout",
        "At most the interval, or the operator refuses the ServiceMonitor without telling its author.",
    ),
    row(
        "service-monitor",
        r"spec\.endpoints\[[^\]]*\]\.honorLabels",
        "own:honorLabels",
        "gpuc takes the exporter's own labels off, so that pod and namespace are the workload's.",
    ),
    row(
        "service-monitor",
        r"spec\.endpoints\[[^\]]*\]\.metricRelabelings.*",
        "own:metricRelabelings",
        "gpuc's steps make pod, namespace and container those of the workload; yours come after.",
    ),
    row(
        "service-monitor",
        r"spec\.endpoints\[[^\]]*\]\.relabelings.*",
        "own:relabelings",
        "gpuc's steps keep the card's series one and the same when the exporter's pod changes; yours come after.",
    ),
    row("service-monitor", r"spec(\..*)?", "own:enabled", "Finds the exporter's one Service by its labels."),
    row(
        "prometheus-rules",
        r"spec(\..*)?",
        "own:enabled own:thresholds",
        "Recording rules and alerts; thresholds are the stack's, expected counts the pools'.",
    ),
    row(
        "dashboard", r"data(\..*)?", "own:enabled", "The Grafana dashboard, which the sidecar of Grafana's chart loads."
    ),
)
