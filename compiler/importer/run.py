"""The import itself: every setting to its handler, then the pools, then what the new files would be told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from compiler.check import rules_on
from compiler.check.chartvalues import DEVICE_PLUGIN, EXPORTER, NFD, ChartRule, ChartValues, Setting, settings
from compiler.check.rules.values_hooks import brings_nfd
from compiler.diagnostics import Diagnostic
from compiler.errors import InputError
from compiler.importer import exporter, nfd, plugin
from compiler.importer.handlers import NO_SETTING, Handler
from compiler.importer.installation import add_installation
from compiler.importer.pools import add_pools
from compiler.importer.report import Outcome, Report, in_stack, leaves
from compiler.importer.settle import settle
from compiler.importer.sources import Source, Sources, read_sources
from compiler.importer.state import Import
from compiler.importer.tolerations import read_toleration, share_tolerations, tells_taint
from compiler.lint.files import SourceFile
from compiler.starter.choices import Choices
from compiler.starter.draft import Draft
from compiler.starter.first import add_delivery, add_exporter, add_monitoring, overlay_frame, stack_frame

_TABLES: Final[dict[str, dict[str, Handler]]] = {
    DEVICE_PLUGIN: plugin.TABLE,
    NFD: nfd.TABLE,
    EXPORTER: exporter.TABLE,
}
# Rules on how kustomize renders a chart, and on what nodes choose by label: neither is left after an import.
_PASSED_OVER: Final = frozenset({"values-hooks", "values-crds", "values-choice", "values-version"})


def import_files(files: Sequence[SourceFile], choices: Choices, chart: str | None = None) -> Report:
    """Return the inputs that files of values come to, and what became of every value.

    Raises InputError where a file cannot be read, or no values of the three charts are in them.
    """
    sources = read_sources(files, chart)
    if sources.problems:
        raise InputError(sources.problems)
    draft = Draft(choices.name or "gpu")
    talos = (choices.os or ("talos" if choices.os_version else "generic")) == "talos"
    charts = frozenset(source.values.chart.name for source in sources.found)
    state = Import(choices, draft, talos, charts, Report(draft))
    stack_frame(
        draft, choices, system="talos" if talos else "generic", talos=choices.os_version, kubernetes=choices.kubernetes
    )
    overlay_frame(draft, choices)
    _taints(state, sources)
    _once(state, sources)
    for source in sources.found:
        _values(state, source)
    _together(state, sources)
    _monitoring(state)
    share_tolerations(state)
    add_delivery(draft, choices)
    # The plugin's release decides where releases differ, such as in their namespaces.
    for source in sorted(sources.found, key=lambda one: one.values.chart.name != DEVICE_PLUGIN):
        add_installation(state, source)
    add_pools(state, sources)
    settle(state)
    return state.report


def _taints(state: Import, sources: Sources) -> None:
    """Learn which taints the nodes have: those that were chosen, else what tolerations tell."""
    state.taints.update(dict.fromkeys(state.choices.taints))
    if state.choices.taints:
        return
    for source in sources.found:
        data = source.values
        for items in (
            data.set("tolerations"),
            data.set("nfd", "worker", "tolerations"),
            data.set("worker", "tolerations"),
        ):
            for item in items if isinstance(items, list) else []:
                read = read_toleration(item)
                taint = tells_taint(read) if read else None
                if taint:
                    state.taints[taint] = None


def _once(state: Import, sources: Sources) -> None:
    """Say so where a chart is given twice: a stack has one of each."""
    seen: dict[str, ChartValues] = {}
    for source in sources.found:
        first = seen.setdefault(source.values.chart.name, source.values)
        if first is not source.values:
            said = f"{source.values.chart.name} is here twice: two of it fight over the same nodes"
            cure = "import the second into a stack of its own, or delete it"
            what = (source.values.what, source.values.chart.name)
            state.beside(what, None, source.values.place(()), Outcome.WRONG, said, cure)


def _values(state: Import, source: Source) -> None:
    values = source.values
    if values.chart.name == EXPORTER:
        if state.draft.get("stack", ("dcgmExporter",)) is None:
            add_exporter(state.draft)
        if values.set("serviceMonitor", "enabled") is None:
            state.draft.put("stack", ("dcgmExporter", "serviceMonitor", "enabled"), value=True)
    found = [item for rule in rules_on(ChartRule) if rule.name not in _PASSED_OVER for item in rule.run(values)]
    told: set[Diagnostic] = set()
    for setting in settings(values):
        wrong = _wrong(values, setting, found)
        if wrong:
            told.add(wrong)
            state.add(values, setting.route, setting.value, Outcome.WRONG, wrong.message, wrong.help or "")
        elif setting.key is not None and setting.value is None:
            state.add(values, setting.route, None, Outcome.DEFAULT, "clears the chart's default")
        else:
            _TABLES[setting.chart.name].get(setting.path, NO_SETTING)(state, values, setting)
    for item in found:
        if item not in told and item.is_error:
            what = (values.what, item.rule)
            state.beside(what, None, item.place or values.place(()), Outcome.WRONG, item.message, item.help or "")
    if values.chart.name == EXPORTER:
        exporter.check_scrape(state, values)
    _rest(state, source)


def _wrong(values: ChartValues, setting: Setting, found: list[Diagnostic]) -> Diagnostic | None:
    """Return what a rule finds at a setting; `config.map` is looked into configuration by configuration."""
    inside = setting.path == "config.map" and isinstance(setting.value, dict)
    places = {values.place(setting.route, key=True), values.place(setting.route)}
    return next((item for item in found if item.place in places and not inside), None)


def _rest(state: Import, source: Source) -> None:
    """Say of every value that no handler spoke of that it was passed over: nothing is lost silently."""
    values = source.values
    mine = [entry for entry in state.report.entries if entry.source == values.what and entry.route]
    covered = {entry.route for entry in mine}
    for route, value in leaves(values.data):
        if any(route[: len(one)] == one or one[: len(route)] == route for one in covered):
            continue
        usual = route[0] == "global" or str(route[0]).startswith(("x-", "_", "."))
        why = "no value of the chart's: Helm hands it to every chart, and this one does not read it" if usual else ""
        state.add(values, route, value, Outcome.UNEXPRESSED, why or "gpuc has no setting for it", "leave it out")
    for route, value, place in source.overridden():
        what = (values.what, ".".join(str(part) for part in route))
        why = "another value of the same release replaces it"
        state.beside(what, value, place, Outcome.DEFAULT, why)
    for name, value, place in source.unread_parameters():
        why = "a parameter that leads into a list is not read"
        state.beside(
            (values.what, name), value, place, Outcome.UNEXPRESSED, why, "write it as valuesObject and import again"
        )


def _together(state: Import, sources: Sources) -> None:
    """Judge what only several values together show."""
    _discovery(state)
    for source in sources.found:
        values = source.values
        if values.chart.name == DEVICE_PLUGIN and "tolerations" not in values.data and not state.taints:
            why = "not set: the chart tolerates nvidia.com/gpu by itself, gpuc exactly the taints of the pools"
            cure = "name the nodes' taints, if they have any: `--taint KEY=VALUE:EFFECT`"
            what = (values.what, "tolerations")
            state.beside(what, None, values.place(()), Outcome.UNEXPRESSED, why, cure)
        if values.chart.name == DEVICE_PLUGIN and not values.set("runtimeClassName"):
            why = "runtimeClassName is not set: the plugin gets NVML only where nvidia is the default runtime"
            wrong = state.talos
            said = (
                "runtimeClassName is not set: on Talos the plugin ends with ERROR_LIBRARY_NOT_FOUND" if wrong else why
            )
            outcome = Outcome.WRONG if wrong else Outcome.DEFAULT
            cure = "the new stack has RuntimeClass nvidia" if wrong else ""
            state.beside((values.what, "runtimeClassName"), None, values.place(()), outcome, said, cure)
        if values.chart.name == DEVICE_PLUGIN and NFD in state.charts and brings_nfd(values):
            said = "the plugin's chart brings an NFD, and NFD is here once more: two masters undo each other's labels"
            what = (values.what, "nfd.enabled")
            place = values.place(("nfd", "enabled"), key=True)
            state.beside(what, None, place, Outcome.WRONG, said, "nothing to do: the new stack has one")
        if values.chart.name != EXPORTER and brings_nfd(values):
            _worker(state, values)


def _discovery(state: Import) -> None:
    """On Talos let the plugin ask NVML for the cards, whatever the values leave open or say."""
    route = ("devicePlugin", "deviceDiscoveryStrategy")
    if not state.talos or state.draft.get("stack", route) in ("nvml", "tegra"):
        return
    state.draft.put("stack", route, "nvml", "`auto` probes paths that Talos does not have.")
    for index, entry in enumerate(state.report.entries):
        if entry.route and entry.route[-1] == route[-1] and entry.value == "auto":
            said = "finds no driver on Talos, where the paths that it probes do not exist"
            changed = replace(
                entry, outcome=Outcome.WRONG, why=said, help="the new stack has nvml", targets=in_stack(*route)
            )
            state.report.entries[index] = changed


def _worker(state: Import, values: ChartValues) -> None:
    """Say so where NFD's worker does not run on the nodes that its labels are for."""
    above = ("nfd",) if values.chart.name == DEVICE_PLUGIN else ()
    base = values.chart.subcharts["nfd"] if above else values.chart
    items = values.effective(*above, "worker", "tolerations")
    if items is None:
        items = base.defaults["worker"]["tolerations"]
    read = [one for item in (items if isinstance(items, list) else []) if (one := read_toleration(item))]
    for taint in state.taints:
        if not any(one.covers(taint) for one in read):
            name = f"{taint.key}={taint.value}:{taint.effect}"
            said = f"NFD's worker does not tolerate {name}: no label, so no plugin pod, and no event says why"
            place = values.place((*above, "worker", "tolerations"), key=True)
            what = (values.what, ".".join((*above, "worker", "tolerations")))
            state.beside(what, None, place, Outcome.WRONG, said, "nothing to do: gpuc adds the toleration")


def _monitoring(state: Import) -> None:
    if state.choices.monitoring is False:
        state.draft.drop("stack", ("dcgmExporter",))
    elif state.choices.monitoring:
        if state.draft.get("stack", ("dcgmExporter",)) is None:
            add_exporter(state.draft)
        state.draft.put("stack", ("dcgmExporter", "serviceMonitor", "enabled"), value=True)
        add_monitoring(state.draft)
