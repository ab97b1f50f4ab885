"""A component tolerates a taint that no pool declares, and NFD's worker does not tolerate.

What it does: looks at the tolerations that people add to device plugin, GPU Feature Discovery and DCGM exporter, where
NFD is gpuc's: one whose key is no pool's taint, and that no toleration of NFD's worker includes, is reported.

Why it fails at run time: on nodes with the taint NFD's worker does not run, so they get no label, and nothing that
selects a label runs there: no device plugin and no GPU, although the plugin itself would tolerate the taint.

How to mend it: declare the taint under the pool's `taints`: gpuc then tolerates it everywhere, in workloads too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from compiler.check.components import components
from compiler.check.objects.taints import DAEMONS_TOLERATE
from compiler.check.rule import Finding, Rule
from compiler.diagnostics import Severity
from compiler.model.components import NodeFeatureDiscovery
from compiler.model.environment import Project
from compiler.model.kube import Toleration

_ON_GPU_NODES: Final = frozenset({"devicePlugin", "gpuFeatureDiscovery", "dcgmExporter"})


def _check(project: Project) -> Iterator[Finding]:
    # Overlays share the stack: a toleration may be there for the pool of any of them.
    declared = {
        taint.key for one in project.environments for pool in one.overlay.node_pools for taint in pool.taints
    } | DAEMONS_TOLERATE
    for environment in project.environments:
        nfd = environment.stack.node_feature_discovery
        if not isinstance(nfd, NodeFeatureDiscovery):
            continue
        for component in components(environment.stack):
            if component.name not in _ON_GPU_NODES:
                continue
            for index, item in enumerate(component.settings.tolerations):
                passing = item.key is None or item.key in declared or item.toleration_seconds is not None
                if passing or any(_includes(own, item) for own in nfd.worker.tolerations):
                    continue
                yield Finding(
                    f"{component.name} tolerates the taint {item.key}, which no pool declares, and NFD's worker does "
                    "not: nodes with it get no label, so nothing of the stack runs there",
                    environment.stack_place((*component.loc, "tolerations", index)),
                    f"declare it under the pool's `taints`: {{key: {item.key}, value: {item.value or '...'}, "
                    f"effect: {item.effect or 'NoSchedule'}}}, or delete the toleration if no node has the taint",
                    environment=environment.name,
                )


def _includes(own: Toleration, other: Toleration) -> bool:
    """Return whether whatever `other` tolerates, `own` tolerates for good as well."""
    return (
        own.toleration_seconds is None
        and own.key in (None, other.key)
        and (own.operator == "Exists" or (other.operator == "Equal" and (own.value or "") == (other.value or "")))
        and own.effect in (None, other.effect)
    )


RULE = Rule("GPU119", "worker-tolerates-too", _check, Severity.WARNING)
