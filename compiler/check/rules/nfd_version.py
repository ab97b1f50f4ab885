"""This release of NFD is not one that gpuc carries the CRDs of.

What it does: refuses a version of NFD that is not in gpuc's table.

Why it fails at run time: NFD's CRDs and roles change between releases. A master that finds another release's CRDs
drops fields silently or cannot list its objects, and then no node gets a label.

How to mend it: use a version from the table, or make NFD `managed: external`.
"""

from __future__ import annotations

from collections.abc import Iterator

from compiler.check.rule import Finding, Rule
from compiler.check.stacks import StackView, each_stack
from compiler.model.components import NodeFeatureDiscovery
from compiler.model.versions import NODE_FEATURE_DISCOVERY


def _check(view: StackView) -> Iterator[Finding]:
    nfd = view.stack.node_feature_discovery
    if isinstance(nfd, NodeFeatureDiscovery) and nfd.version not in NODE_FEATURE_DISCOVERY:
        yield Finding(
            f"gpuc does not carry the CRDs of NFD {nfd.version}",
            view.place(("nodeFeatureDiscovery", "version")),
            f"known: {', '.join(NODE_FEATURE_DISCOVERY)}; or make it `managed: external`",
        )


RULE = Rule("GPU104", "nfd-version", each_stack(_check))
