"""The dashboard's text.

It is built with Grafana's own library by `make dashboard` and kept as data: importing the library takes 30 ms, and
nobody who compiles needs it.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

FILE = "gpus.json"
RUNBOOK = "gpuc:runbook"
"""Stands in the built dashboard where the address of the runbook goes."""


@cache
def dashboard(runbook_url: str) -> str:
    """Return the dashboard as JSON; it links to the runbook where that is an address that a browser can open."""
    if runbook_url.startswith(("https://", "http://")):
        return built().replace(RUNBOOK, json.dumps(runbook_url)[1:-1])
    found = json.loads(built())
    return json.dumps({**found, "links": []}, indent=1, ensure_ascii=False) + "\n"


@cache
def built() -> str:
    """Return the dashboard as `make dashboard` built it."""
    return files("compiler").joinpath("monitoring", FILE).read_text(encoding="utf-8")
