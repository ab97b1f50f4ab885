"""The examples on docs/inputs.md compile."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compiler.pipeline import build
from compiler.yaml.readback import load_all

PAGE = (Path(__file__).parents[2] / "docs/inputs.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
STACK = next(block for block in BLOCKS if "kind: GPUStack" in block)
POOL = "nodePools: [{name: a, nodes: [{name: n}], sharing: {strategy: time-slicing, replicas: 2}}]\n"
PARTS = [block for block in BLOCKS if re.match(r"(nodePools|overrides|ignore):", block)]


def project(folder: Path, body: str, more: str = "") -> Path:
    (folder / "base").mkdir()
    (folder / "base/stack.yaml").write_text(STACK + more, encoding="utf-8")
    (folder / "overlays/worker4/patches").mkdir(parents=True)
    text = f"apiVersion: gpuc/v1alpha1\nkind: Overlay\ncluster: c\n{body}"
    (folder / "overlays/worker4/overlay.yaml").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.partition(":")[0])
def test_each_part_is_an_overlay_s(tmp_path: Path, part: str) -> None:
    body = part if part.startswith("nodePools") else POOL + part
    assert build(project(tmp_path, body)).tree.roots


def test_the_patches_match_what_they_name(tmp_path: Path) -> None:
    exporter = "dcgmExporter: {version: 4.5.3-4.8.2-distroless, serviceMonitor: {enabled: true}}\n"
    entries = next(block for block in BLOCKS if "\npatches:\n" in block)
    root = project(tmp_path, POOL + entries, exporter)
    patch = next(block for block in BLOCKS if "- op: replace" in block)
    for name in ("more-memory", "monitor"):
        (root / f"overlays/worker4/patches/{name}.yaml").write_text(patch, encoding="utf-8")
    kustomization = build(root).files["overlays/worker4/kustomization.yaml"]
    (document,) = load_all(kustomization)
    assert isinstance(document, dict)
    assert "patches/more-memory.yaml" in [entry["path"] for entry in document["patches"]]
