"""Diagnoses a cluster: walks the chain that the compiled stack expects, and names the first broken link.

Two sources give a `Snapshot`: kubectl, and a folder of its saved answers. Everything after that is pure.
"""

from __future__ import annotations

from compiler.doctor.case import Case
from compiler.doctor.expected import expected
from compiler.doctor.kubectl import Kubectl
from compiler.doctor.live import read_cluster
from compiler.doctor.queries import commands_to_save
from compiler.doctor.render import as_json, as_text
from compiler.doctor.saved import read_folder
from compiler.doctor.walk import Report, Status, diagnose

__all__ = [
    "Case",
    "Kubectl",
    "Report",
    "Status",
    "as_json",
    "as_text",
    "commands_to_save",
    "diagnose",
    "expected",
    "read_cluster",
    "read_folder",
]
