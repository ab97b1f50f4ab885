"""Every setting that users of the charts make can be made here and arrives, or docs/settings.md says why not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from compiler.load.scalars import plain_value
from compiler.model.merge import merge
from compiler.model.stack import GPUStack
from compiler.pipeline import build
from compiler.yaml.readback import load_all
from tests.model.settings import ANY, CONFIG, MISSING, SETTINGS, Missing, Setting

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"
STACK: dict[str, Any] = {
    "apiVersion": "gpuc/v1alpha1",
    "kind": "GPUStack",
    "namespace": "gpu",
    "kubernetes": {"version": "1.34"},
    "platform": {"os": "generic"},
    "nodeFeatureDiscovery": {"version": "v0.19.0"},
    "devicePlugin": {"version": "v0.20.0"},
    "dcgmExporter": {"version": "4.5.3-4.8.2-distroless", "serviceMonitor": {"enabled": True}},
}
HEAD = """\
# From the charts' values to the stack

What users of the Helm charts for the device plugin, GPU Feature Discovery, Node Feature Discovery and the DCGM exporter
set, and how it is said here. Every row is compiled by a test that looks the value up in the object. What is missing
here can be changed with a Kustomize patch under `patches` in the overlay.

"""


def flow(value: Any) -> str:
    """Return a value as YAML in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(flow, value))}]"
    if isinstance(value, str) and (value == "yes" or not isinstance(plain_value(value), str)):
        return f'"{value}"'
    text = json.dumps(value).strip('"')
    return f"sha256:{text[7:11]}..." if text.startswith("sha256:") else text


def row(setting: Setting) -> str:
    where = "`nodePools[]` in the overlay: " if setting.pool else ""
    said = f"{where}`{flow(setting.here)[1:-1]}`{f' ({setting.note})' if setting.note else ''}"
    return f"| {setting.chart} | {said} |"


def page() -> str:
    there = ["| in the chart | here |", "|---|---|", *map(row, SETTINGS)]
    absent = ["| in the chart | why not here |", "|---|---|", *(f"| {item.chart} | {item.why} |" for item in MISSING)]
    return HEAD + "\n".join(there) + "\n\n## What is left out\n\n" + "\n".join(absent) + "\n"


def compiled(folder: Path, setting: Setting) -> dict[str, Any]:
    """Return the objects of both roots by kind and name, and the configuration files."""
    pool = {"name": "a", "nodes": [{"name": "node-1"}]}
    if setting.pool:
        pool = {**pool, **setting.here}
        if "nodeSelector" in setting.here:
            del pool["nodes"]
    overlay = {"apiVersion": "gpuc/v1alpha1", "kind": "Overlay", "cluster": "lab", "nodePools": [pool]}
    stack = STACK if setting.pool else merge(STACK, setting.here)
    for path, data in {"base/stack.yaml": stack, "overlays/lab/overlay.yaml": overlay}.items():
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_text(json.dumps(data), encoding="utf-8")
    built = build(folder)
    found = {
        f"{obj['kind']}/{obj['metadata']['name']}": obj for root in built.tree.roots.values() for obj in root.expected
    }
    for name, text in built.files.items():
        if name.endswith("/nvidia-device-plugin-config/config.yaml"):
            found[CONFIG] = next(iter(load_all(text)))
        elif name.endswith("nfd-worker.conf"):
            found["the NFD worker's configuration file"] = next(iter(load_all(text)))
    return found


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.chart)
def test_a_setting_arrives(setting: Setting, tmp_path: Path) -> None:
    value: Any = compiled(tmp_path, setting)[setting.obj]
    *steps, last = setting.path
    for step in steps:
        value = value[step]
    assert setting.value in value if last == ANY else value[last] == setting.value


@pytest.mark.parametrize("missing", MISSING, ids=lambda missing: missing.chart)
def test_what_the_page_calls_left_out_is_refused(missing: Missing) -> None:
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        GPUStack.model_validate_json(json.dumps(merge(STACK, missing.here)))


def test_no_setting_is_listed_twice() -> None:
    names = [row(item) for item in SETTINGS] + [item.chart for item in MISSING]
    assert len(set(names)) == len(names)


def test_the_page_is_current(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-golden"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()
