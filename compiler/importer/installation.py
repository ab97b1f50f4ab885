"""What a HelmRelease or an Application says besides values: version, namespace, and how it is delivered."""

from __future__ import annotations

import re
from typing import Final

from compiler.check.chartvalues import DEVICE_PLUGIN, NFD
from compiler.importer.report import Outcome, in_stack
from compiler.importer.sources import Source
from compiler.importer.state import Import
from compiler.model import versions

_RELEASE: Final = re.compile(r"v?(\d{1,6}\.\d{1,6}\.\d{1,6})")
_COMPONENTS: Final = {
    DEVICE_PLUGIN: ("devicePlugin", versions.DEVICE_PLUGIN),
    NFD: ("nodeFeatureDiscovery", versions.NODE_FEATURE_DISCOVERY),
}


def add_installation(state: Import, source: Source) -> None:
    """Say what becomes of what stands beside the values."""
    values = source.values
    if values.version is not None:
        _version(state, source, values.version)
    if values.namespace:
        _namespace(state, source)
    for name, value, place in source.beside():
        if name in {"spec.valuesFrom", "spec.postRenderers"} or name.endswith(("valueFiles", "fileParameters")):
            why = "more values or changes come from here, which these files do not hold"
            state.beside(
                (values.what, name), value, place, Outcome.QUESTION, why, "import those files too, or add them by hand"
            )
        elif name in source.others:
            why = "no value of the three charts: it belongs to the chart around them, or to another one"
            state.beside((values.what, name), value, place, Outcome.UNEXPRESSED, why, "keep it where it is")
        else:
            why = "how the chart was delivered; gpuc's delivery has settings of its own"
            state.beside((values.what, name), value, place, Outcome.UNEXPRESSED, why, "see `delivery` in the stack")
    if source.kind == "HelmRelease" and not state.choices.flux and not state.choices.argocd:
        _flux(state, source)
    elif source.kind == "Application" and not state.choices.flux and not state.choices.argocd:
        why = "the repository that will hold out/ is not known here"
        place = source.document.place(("kind",))
        state.beside((values.what, "delivery"), None, place, Outcome.UNEXPRESSED, why, "name it with --argocd URL")


def _version(state: Import, source: Source, version: str) -> None:
    values = source.values
    place = values.place(())
    what = (values.what, "chart version")
    component, known = _COMPONENTS.get(values.chart.name, ("dcgmExporter", ()))
    exact = _RELEASE.fullmatch(version)
    target = ("stack", (component, "version"))
    if component == "dcgmExporter":
        kept = state.draft.get("stack", (component, "version"))
        outcome = Outcome.DEFAULT if version == values.chart.version else Outcome.UNEXPRESSED
        why = f"the chart's image; the stack has {kept}" if outcome is Outcome.DEFAULT else f"gpuc knows {kept}"
        state.beside(
            what, version, place, outcome, why, "" if outcome is Outcome.DEFAULT else "compare the releases' notes"
        )
    elif exact and f"v{exact[1]}" in known:
        if state.draft.get("stack", (component, "managed")) is None:
            state.draft.put("stack", (component, "version"), f"v{exact[1]}")
        state.beside(what, version, place, Outcome.TRANSLATED, "", targets=in_stack(*target[1]))
    else:
        kept = state.draft.get("stack", (component, "version"))
        why = f"gpuc knows {', '.join(known)}; the stack has {kept}"
        state.beside(what, version, place, Outcome.UNEXPRESSED, why, f"write it at {component}.version to insist")


def _namespace(state: Import, source: Source) -> None:
    values = source.values
    what, place = (values.what, "namespace"), values.place(())
    chosen = state.choices.namespace
    if chosen is not None:
        state.beside(what, values.namespace, place, Outcome.DEFAULT, f"{chosen} was chosen instead")
        return
    target = ("namespace",)
    if target in state.flags and state.draft.get("stack", target) != values.namespace:
        kept = state.draft.get("stack", target)
        why = f"a stack has one namespace: {kept}"
        state.beside(
            what, values.namespace, place, Outcome.UNEXPRESSED, why, "nothing to do, or choose one by --namespace"
        )
        return
    state.draft.put("stack", target, values.namespace)
    state.flags.add(target)
    why = "labelled for Pod Security `privileged`, which the pods' host paths need"
    state.beside(what, values.namespace, place, Outcome.TRANSLATED, why, targets=in_stack(*target))


def _flux(state: Import, source: Source) -> None:
    if state.draft.get("stack", ("delivery", "flux")) is not None:
        return
    route = ("delivery", "flux", "source")
    why = "The source that `flux bootstrap` made; gpuc writes one of its own with managed: gpuc and a url."
    state.draft.put("stack", route, {"managed": "external", "kind": "GitRepository", "name": "flux-system"}, why)
    place = source.document.place(("kind",))
    told = "out/ is delivered by Flux, from the GitRepository flux-system"
    state.beside(
        (source.values.what, "delivery"), "HelmRelease", place, Outcome.TRANSLATED, told, targets=in_stack(*route)
    )
