"""Node selectors and affinities: which nodes are meant, and which labels nothing makes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from compiler.check.chartvalues import ChartValues, Setting
from compiler.importer.report import Outcome, in_overlay
from compiler.importer.state import Import
from compiler.objects import Json

_HOST: Final = "kubernetes.io/hostname"
# Labels of GPU nodes that NFD, GPU Feature Discovery, Talos or gpuc's own rule make, or that every node has.
_KNOWN: Final = re.compile(
    r"nvidia\.com/(gpu(\..+)?|mps\.capable|mig\..+|cuda\..+)"
    r"|feature\.node\.kubernetes\.io/(pci-(.+_)?10de(_.+)?\.present|cpu-model\.vendor_id)"
    r"|extensions\.talos\.dev/(nvidia|nonfree-kmod-nvidia).*"
    r"|kubernetes\.io/(os|arch)"
)
_MADE_BY_NFD: Final = "feature.node.kubernetes.io/"
_CURE: Final = "name the nodes: `--node NAME:ADDRESS`"


def selection(state: Import, values: ChartValues, setting: Setting) -> None:
    """Say what a nodeSelector or an affinity comes to."""
    if setting.value is None or setting.value in ({}, []):
        why = "clears the chart's default; gpuc picks the pool's nodes, and needs no affinity of yours"
        state.add(values, setting.route, setting.value, Outcome.DEFAULT, why)
        return
    wanted = list(_requirements(setting))
    if any(item is None for item in wanted):
        if state.choices.nodes:
            why = "more than gpuc's pools say; the nodes that you named are used instead"
            state.add(values, setting.route, setting.value, Outcome.DEFAULT, why)
        else:
            why = "gpuc's pools are nodes by name, or nodes with certain labels; this is neither"
            state.add(values, setting.route, setting.value, Outcome.UNEXPRESSED, why, _CURE)
        return
    items = [item for item in wanted if item is not None]
    unmade = [key for key, _ in items if key.startswith(_MADE_BY_NFD) and not _KNOWN.fullmatch(key)]
    if unmade:
        said = f"nothing here makes the label {unmade[0]}: no pod would run anywhere, and Flux and Argo CD show green"
        cure = f"leave it out: gpuc labels nodes with a GPU itself; or {_CURE}"
        state.add(values, setting.route, setting.value, Outcome.WRONG, said, cure)
        return
    hosts = [name for key, names in items if key == _HOST for name in names]
    own = {key: names[0] for key, names in items if key != _HOST and not _KNOWN.fullmatch(key)}
    if state.choices.nodes:
        why = "gpuc picks the nodes that you named, and only those with a GPU"
        state.add(values, setting.route, setting.value, Outcome.DEFAULT, why)
    elif hosts:
        state.hosts.update(dict.fromkeys(hosts))
        where = in_overlay("nodePools", 0, "nodes")
        state.add(values, setting.route, setting.value, Outcome.TRANSLATED, "the pool's nodes, by name", targets=where)
    elif own:
        state.labels.update(own)
        where = in_overlay("nodePools", 0, "nodeSelector")
        why = "the pool's nodes, by label: make sure that something sets it, such as Talos' nodeLabels"
        state.add(values, setting.route, setting.value, Outcome.TRANSLATED, why, targets=where)
    else:
        why = "gpuc's pods run only where nvidia.com/gpu.present is true, a label that its NodeFeatureRule makes"
        state.add(values, setting.route, setting.value, Outcome.DEFAULT, why)


def _requirements(setting: Setting) -> Iterator[tuple[str, list[str]] | None]:
    """Yield label keys with the values that are wanted; None for whatever is more than that."""
    value = setting.value
    if not isinstance(value, dict):
        yield None
    elif setting.path.rpartition(".")[2] == "nodeSelector":
        yield from ((str(key), [str(item)]) for key, item in value.items())
    else:
        yield from _affinity(value)


def _affinity(value: dict[str, Json]) -> Iterator[tuple[str, list[str]] | None]:
    node = value.get("nodeAffinity")
    required = node.get("requiredDuringSchedulingIgnoredDuringExecution") if isinstance(node, dict) else None
    terms = required.get("nodeSelectorTerms") if isinstance(required, dict) else None
    if set(value) != {"nodeAffinity"} or not isinstance(node, dict) or len(node) != 1 or not isinstance(terms, list):
        yield None
        return
    for term in terms:
        expressions = term.get("matchExpressions") if isinstance(term, dict) and len(term) == 1 else None
        if not isinstance(expressions, list):
            yield None
            return
        for item in expressions:
            key, names = (item.get("key"), item.get("values")) if isinstance(item, dict) else (None, None)
            known = isinstance(key, str) and _KNOWN.fullmatch(key)
            if isinstance(key, str) and known and item.get("operator") in ("In", "Exists"):
                yield key, ["true"]
            elif (
                not isinstance(key, str)
                or item.get("operator") != "In"
                or not isinstance(names, list)
                or not names
                or (key != _HOST and (len(names) > 1 or len(terms) > 1))
                or not all(isinstance(name, str) for name in names)
            ):
                yield None
            else:
                yield key, names
