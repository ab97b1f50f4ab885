"""The rules' time grows no faster than the number of node pools."""

from __future__ import annotations

from pathlib import Path

from scripts.bench.rules import least, project, rules_on


def test_ten_times_as_many_pools_take_about_ten_times_as_long(tmp_path: Path) -> None:
    few = least(rules_on(project(tmp_path / "few", 4)), 3)
    many = least(rules_on(project(tmp_path / "many", 40)), 3)
    # Far from quadratic, which would be 100; the slack is for busy machines.
    assert many / few < 25
