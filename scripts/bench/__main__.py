"""Time `gpuc compile` beside helm, kustomize and kubeconform on the same stack.

usage: python -m scripts.bench [--rounds N] [--seconds S] [--fetch-helm] [--helm PATH] [--device-plugin-chart PATH]
                               [--dcgm-exporter-chart PATH]
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from compiler.model.versions import KubernetesVersion
from compiler.pipeline import read
from compiler.tools import find_tool
from compiler.validate.schemas import SCHEMAS, locations
from compiler.yaml.readback import load_all
from scripts.bench import charts
from scripts.bench.clock import Command, FailedError, Series, Taken, ratios, run, spread
from scripts.bench.kubernetes import check_fully, write_full_schemas
from scripts.bench.project import ROOT, Project

_ROOTS: Final = ("overlays/worker4", "overlays/worker4/monitoring")
_FEWEST_ROUNDS: Final = 3
_SHARE: Final = 0.15  # of today's pipeline, for kubeconform with gpuc's schemas

_FULL: Final = "kubeconform, full definitions"
_UNNAMED: Final = "kubeconform, full definitions without $schema"
_SMALL: Final = "kubeconform, gpuc's schemas"
_TODAY: Final = "today's pipeline"
_SAME: Final = "gpuc compile, nothing changed"
_CHANGED: Final = "gpuc compile, one value changed"


@dataclass
class _Bench:
    """What is measured, in the order in which a round runs it."""

    today: dict[str, Command]
    aside: dict[str, Command]
    compile: Command
    project: Project
    series: dict[str, Series] = field(default_factory=dict)

    def round(self, *, gpuc_first: bool) -> None:
        """Run everything once; which side comes first alternates, so that neither always finds the warmer caches."""
        if gpuc_first:
            self._compile()
            self._today()
        else:
            self._today()
            self._compile()
        for name, command in self.aside.items():
            self._add(name, run(command)[0])

    def _compile(self) -> None:
        self._add(_SAME, run(self.compile)[0])
        self.project.toggle()
        self._add(_CHANGED, run(self.compile)[0])
        # Back again, unmeasured: every round starts from what is committed.
        self.project.toggle()
        run(self.compile)

    def _today(self) -> None:
        whole = Taken(0, 0)
        for name, command in self.today.items():
            taken, _ = run(command)
            self._add(name, taken)
            whole += taken
        self._add(_TODAY, whole)

    def _add(self, name: str, taken: Taken) -> None:
        self.series.setdefault(name, Series(name)).taken.append(taken)


def main() -> int:
    """Measure and print. Returns 0, or 1 when gpuc is slower than what it replaces."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="gpuc-bench-") as scratch:
        folder = Path(scratch)
        bench, notes = _prepare(options, folder)
        start = time.monotonic()
        for number in range(options.rounds):
            bench.round(gpuc_first=number % 2 == 1)
            if number + 1 >= _FEWEST_ROUNDS and time.monotonic() - start > options.seconds:
                break
    return _report(bench, notes)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m scripts.bench", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=12, help="at most so many rounds (12)")
    parser.add_argument("--seconds", type=float, default=60, help="no new round after so many seconds (60)")
    parser.add_argument("--fetch-helm", action="store_true", help="build helm and get a chart first, with Go")
    parser.add_argument("--helm", type=Path, help="the helm to use, if not the one on PATH")
    parser.add_argument("--device-plugin-chart", type=Path, help="folder or archive of the device plugin's chart")
    parser.add_argument("--dcgm-exporter-chart", type=Path, help="folder or archive of the DCGM exporter's chart")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    return options


def _prepare(options: argparse.Namespace, folder: Path) -> tuple[_Bench, list[str]]:
    """Return what to measure, and what has to be said about it."""
    kubeconform, kustomize = find_tool("kubeconform", ROOT), find_tool("kustomize", ROOT)
    project = Project(folder / "project")
    today, notes = _helm(options, folder)
    builds = {root: Command((str(kustomize), "build", f"out/{root}"), project.folder) for root in _ROOTS}
    today |= {f"kustomize build {root}": command for root, command in builds.items()}
    objects = b"---\n".join(run(command)[1] for command in builds.values())
    version = _kubernetes_version()
    full = {}
    for dialect in (True, False):
        schemas = folder / f"full-{dialect}"
        write_full_schemas(schemas, version, load_all(objects.decode("utf-8")), dialect=dialect)
        full[dialect] = check_fully(kubeconform, folder, schemas, SCHEMAS / "custom-resources", objects)
    today[_FULL] = full[True]
    where = [part for location in locations(SCHEMAS) for part in ("-schema-location", location)]
    flags = ("-strict", "-summary", "-n", "1", "-kubernetes-version", f"{version}.0", *where, "-")
    aside = {_UNNAMED: full[False], _SMALL: Command((str(kubeconform), *flags), folder, objects)}
    gpuc = Path(sys.executable).with_name("gpuc")
    compiling = Command((str(gpuc), "compile", "--root", str(project.folder)), folder)
    for command in (*today.values(), *aside.values(), compiling):
        run(command)  # warm: files are read into the page cache, and what does not work is known now
    return _Bench(today, aside, compiling, project), notes


def _kubernetes_version() -> KubernetesVersion:
    return read(ROOT).stack.kubernetes.version


def _helm(options: argparse.Namespace, folder: Path) -> tuple[dict[str, Command], list[str]]:
    """Return the commands that render the charts which are at hand, and a note for each that is not."""
    tools = ROOT / ".tools" / "bench"
    helm = charts.fetch_helm(tools) if options.fetch_helm else options.helm or charts.find_helm(tools)
    if helm is None:
        cure = "`make bench ARGS=--fetch-helm` builds it, with Go"
        return {}, [f"Left out: `helm template` of both charts, since there is no helm ({cure})."]
    commands, notes = {}, []
    given = {"device-plugin": options.device_plugin_chart, "dcgm-exporter": options.dcgm_exporter_chart}
    for name, path in given.items():
        chart = charts.find_chart(name, path)
        if chart is None:
            notes.append(f"Left out: `helm template` of the {name} chart, which is not at hand (--{name}-chart PATH).")
        else:
            commands[f"helm template {name}"] = chart.template(helm, folder)
    return commands, notes


def _report(bench: _Bench, notes: list[str]) -> int:
    series = bench.series
    same, changed, today, small = (series[name] for name in (_SAME, _CHANGED, _TODAY, _SMALL))
    print(f"{len(same.taken)} rounds, side by side, seconds; load average {os.getloadavg()[0]:.1f}")
    print(f"{'':50} {'min':>8} {'median':>8} {'min cpu':>8}")
    for name in (*bench.today, _TODAY, *bench.aside, _SAME, _CHANGED):
        print(series[name].row())
    print()
    print("ratios by the clock, pair by pair: median (from smallest to largest)")
    pairs = {(_SAME, _TODAY): ratios(same, today), (_CHANGED, _TODAY): ratios(changed, today)}
    pairs |= {(_SMALL, _TODAY): ratios(small, today), (_SMALL, _SAME): ratios(small, same)}
    pairs[_SMALL, _FULL] = ratios(small, series[_FULL])
    pairs[_SAME, f"{_TODAY}, without $schema"] = ratios(same, _without_dialect(series))
    for (part, whole), values in pairs.items():
        print(f"  {part} / {whole}: {spread(values)}")
    for note in notes:
        print(note)
    failed = []
    if statistics.median(pairs[_SAME, _TODAY]) > 1:
        failed.append("gpuc compile is slower than today's pipeline.")
    if statistics.median(pairs[_SMALL, _TODAY]) > _SHARE:
        failed.append(f"kubeconform with gpuc's schemas takes more than {_SHARE} of today's pipeline.")
    print("\n".join(failed) or "gpuc is as fast as it has to be.")
    return 1 if failed else 0


def _without_dialect(series: dict[str, Series]) -> Series:
    """Return today's pipeline as it would be with definitions that do not name their dialect."""
    rows = zip(series[_TODAY].taken, series[_FULL].taken, series[_UNNAMED].taken, strict=True)
    return Series(_TODAY, [Taken(t.wall - f.wall + u.wall, t.cpu - f.cpu + u.cpu) for t, f, u in rows])


if __name__ == "__main__":
    try:
        sys.exit(main())
    except FailedError as failed:
        sys.exit(f"error: {failed}")
