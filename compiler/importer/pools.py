"""The node pools of an import: one for each configuration of the plugin, or one for everything."""

from __future__ import annotations

import re

from compiler.check.chartvalues import DEVICE_PLUGIN
from compiler.importer.configs import CONFIG_LABEL
from compiler.importer.report import Outcome, in_overlay
from compiler.importer.sources import Sources
from compiler.importer.state import Import, Profile
from compiler.objects import Json
from compiler.starter.choices import NodeChoice
from compiler.starter.first import GPU_PRESENT, Pool, add_pool


def add_pools(state: Import, sources: Sources) -> None:
    """Add a node pool for every configuration; ask which nodes are meant where nothing says so."""
    profiles = state.profiles or [Profile("default")]
    names = _names(state, profiles)
    choices = state.choices
    taints = tuple(state.taints)
    for index, (profile, name) in enumerate(zip(profiles, names, strict=True)):
        nodes = _nodes(state, profile.name, name, first=index == 0)
        pool = Pool(
            name,
            nodes,
            taints,
            choices.os_version,
            choices.product if index == 0 else None,
            choices.memory if index == 0 else None,
            choices.count if index == 0 else None,
        )
        release = choices.os_version or "v1.13.3"
        add_pool(state.draft, index, pool, stack_talos=release if state.talos else None)
        _parts(state, index, profile)
        if not nodes:
            _by_label(state, sources, index, profile)


def _names(state: Import, profiles: list[Profile]) -> list[str]:
    """Return the pools' names: the overlay's for the first, the configuration's for the others."""
    found = [state.draft.name]
    for profile in profiles[1:]:
        name = re.sub(r"[^a-z0-9]+", "-", profile.name.lower()).strip("-")[:36].strip("-") or "pool"
        number = 2
        unique = name
        while unique in found:
            unique, number = f"{name}-{number}", number + 1
        found.append(unique)
    return found


def _nodes(state: Import, profile: str, pool: str, *, first: bool) -> tuple[NodeChoice, ...]:
    chosen = [one for one in state.choices.nodes if one.pool in {profile, pool} or (first and one.pool is None)]
    if not chosen and first:
        return tuple(NodeChoice(name) for name in state.hosts)
    return tuple(NodeChoice(one.name, one.address) for one in chosen)


def _parts(state: Import, index: int, profile: Profile) -> None:
    here = ("nodePools", index)
    if "sharing" in profile.parts:
        state.draft.put("overlay", (*here, "sharing"), profile.parts["sharing"])
        state.draft.comments.pop(("overlay", (*here, "sharing")), None)
    mig: Json = {"strategy": state.mig} if state.mig else profile.parts.get("mig")
    if mig:
        state.draft.put("overlay", (*here, "mig"), mig)


def _by_label(state: Import, sources: Sources, index: int, profile: Profile) -> None:
    """Choose a pool's nodes by label, and ask for them where there are several pools."""
    route = ("nodePools", index, "nodeSelector")
    several = len(state.profiles) > 1
    labels = dict(state.labels) if index == 0 else {}
    if several and not labels:
        labels = {CONFIG_LABEL: profile.name}
    if labels:
        state.draft.put("overlay", route, labels)
        state.draft.comments.pop(("overlay", route), None)
    if not several:
        return
    values = next(one.values for one in sources.found if one.values.chart.name == DEVICE_PLUGIN)
    where = in_overlay(*route)
    said = (
        f"which nodes have the configuration {profile.name}? They are chosen by a label ({CONFIG_LABEL}) that is "
        "nowhere in these files; without it the first pool's configuration would hold"
    )
    cure = f"name them: `--node {profile.name}=NAME:ADDRESS`" if index else "name them: `--node NAME:ADDRESS`"
    place = values.place(("config", "map", profile.name), key=True)
    what = (values.what, f"node pool {profile.name}")
    state.beside(what, labels or {GPU_PRESENT: "true"}, place, Outcome.QUESTION, said, cure, targets=where)
