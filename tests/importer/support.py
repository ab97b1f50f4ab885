"""Imports of literals."""

from __future__ import annotations

from textwrap import dedent

from compiler.importer import Entry, Outcome, Report, import_files
from compiler.lint.files import SourceFile
from compiler.starter.choices import Choices, node

NODE = (node("gpu-1:10.0.0.1"),)
TALOS = Choices(nodes=NODE, os="talos", os_version="v1.13.3")
PLUGIN = "nvidia-device-plugin"
NFD = "node-feature-discovery"
EXPORTER = "dcgm-exporter"


def imported(chart: str, text: str, choices: Choices = TALOS) -> Report:
    """Import values of one chart."""
    return import_files([SourceFile("values.yaml", dedent(text), named=True)], choices, chart)


def entry(report: Report, *route: str | int) -> Entry:
    """Return the entry of a value."""
    found = [one for one in report.entries if one.route == route]
    assert len(found) == 1, [one.route for one in report.entries]
    return found[0]


def wrong(report: Report) -> list[str]:
    """Return how the values are called that are wrong as written."""
    return [".".join(str(part) for part in one.route) or one.label for one in report.of(Outcome.WRONG)]
