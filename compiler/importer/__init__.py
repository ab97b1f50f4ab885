"""Reads Helm values of the three charts into a stack and an overlay; no value is lost silently."""

from compiler.importer.report import Entry, Outcome, Report
from compiler.importer.run import import_files

__all__ = ["Entry", "Outcome", "Report", "import_files"]
