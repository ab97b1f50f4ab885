"""The links of the chain, one module each, in the order in which they depend on each other."""

from __future__ import annotations

from compiler.doctor.case import Link
from compiler.doctor.links import (
    allocatable,
    dcgm_exporter,
    delivered,
    gpu_labels,
    image,
    label,
    mps,
    namespace,
    nfd,
    node,
    one_plugin,
    pci_device,
    pending,
    plugin,
    plugin_config,
    plugin_pod,
    reconciled,
    rule,
    runtime_class,
    scrape,
    taints,
)

CHAIN: tuple[Link, ...] = (
    node.LINK,
    taints.LINK,
    image.LINK,
    delivered.LINK,
    namespace.LINK,
    runtime_class.LINK,
    nfd.LINK,
    pci_device.LINK,
    rule.LINK,
    label.LINK,
    plugin.LINK,
    one_plugin.LINK,
    plugin_config.LINK,
    plugin_pod.LINK,
    mps.LINK,
    allocatable.LINK,
    gpu_labels.LINK,
    pending.LINK,
    dcgm_exporter.LINK,
    scrape.LINK,
    reconciled.LINK,
)
"""A link comes after those that it depends on, so the first broken one is the cause of what follows from it."""
