"""`make bench`: what it measures is what it says, and nothing that failed is timed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from compiler.tools import find_tool
from compiler.validate.schemas import SCHEMAS
from scripts.bench import charts
from scripts.bench.clock import Command, FailedError, Series, Taken, ratios, run
from scripts.bench.kubernetes import check_fully, write_full_schemas
from scripts.bench.project import ROOT, Project

NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gpu"}}

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def python(code: str, folder: Path) -> Command:
    return Command((sys.executable, "-c", code), folder)


def test_a_run_is_timed_by_the_clock_and_by_the_processor(tmp_path: Path) -> None:
    idle, _ = run(python("import time; time.sleep(0.3)", tmp_path))
    busy, _ = run(python("import time\nwhile time.process_time() < 0.3: pass", tmp_path))
    assert (idle.wall >= 0.3, busy.cpu >= 0.25, busy.cpu > idle.cpu) == (True, True, True)


def test_a_run_that_fails_is_not_timed(tmp_path: Path) -> None:
    with pytest.raises(FailedError, match=r"(?s)ended with code 3.*no such chart"):
        run(python("import sys; print('no such chart', file=sys.stderr); sys.exit(3)", tmp_path))


def test_ratios_are_taken_pair_by_pair() -> None:
    part = Series("part", [Taken(1, 1), Taken(4, 1)])
    whole = Series("whole", [Taken(2, 1), Taken(1, 1)])
    assert ratios(part, whole) == [0.5, 4.0]


@needs_git
def test_one_value_is_changed_and_changed_back(tmp_path: Path) -> None:
    project = Project(tmp_path)
    overlay = tmp_path / "overlays/worker4/overlay.yaml"
    before = overlay.read_text("utf-8")
    project.toggle()
    changed = overlay.read_text("utf-8")
    project.toggle()
    assert (changed, overlay.read_text("utf-8")) == (before.replace("replicas: 5", "replicas: 6"), before)
    assert changed != before


@needs_git
def test_what_is_compiled_is_a_commit_without_changes(tmp_path: Path) -> None:
    Project(tmp_path)
    status = subprocess.run(("git", "status", "--porcelain"), cwd=tmp_path, capture_output=True, text=True, check=True)
    assert status.stdout == ""


@pytest.mark.parametrize("dialect", [True, False], ids=["dialect named", "dialect left out"])
def test_full_definitions_say_their_dialect_only_where_asked(tmp_path: Path, *, dialect: bool) -> None:
    write_full_schemas(tmp_path / "full", "1.34", [NAMESPACE], dialect=dialect)
    schema = json.loads((tmp_path / "full/namespace-v1.json").read_text("utf-8"))
    assert ("$schema" in schema) == dialect


@pytest.mark.parametrize(
    ("change", "passes"), [({}, True), ({"spec": {"finalizer": []}}, False)], ids=["valid", "unknown field"]
)
def test_full_definitions_check_what_they_are_given(tmp_path: Path, change: dict[str, object], *, passes: bool) -> None:
    write_full_schemas(tmp_path / "full", "1.34", [NAMESPACE], dialect=False)
    objects = json.dumps({**NAMESPACE, **change}).encode()
    tool = find_tool("kubeconform", ROOT)
    command = check_fully(tool, tmp_path, tmp_path / "full", SCHEMAS / "custom-resources", objects)
    if passes:
        assert b"Valid: 1, Invalid: 0, Errors: 0, Skipped: 0" in run(command)[1]
    else:
        with pytest.raises(FailedError, match="finalizer"):
            run(command)


def test_a_chart_that_nobody_gives_is_left_out() -> None:
    assert charts.find_chart("dcgm-exporter", None) is None


def test_a_chart_is_rendered_with_its_own_values(tmp_path: Path) -> None:
    command = charts.Chart("dcgm-exporter", tmp_path / "chart.tgz").template(Path("helm"), tmp_path)
    values = Path(command.arguments[command.arguments.index("--values") + 1])
    assert (values.name, values.is_file()) == ("dcgm-exporter-values.yaml", True)
