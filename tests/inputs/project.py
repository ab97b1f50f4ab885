"""A small project to break: inputs as literals, and what `gpuc compile` says about them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from compiler.cli.app import run

STACK = "base/stack.yaml"
OVERLAY = "overlays/worker4/overlay.yaml"
MARK = "§"

STACK_TEXT = """\
apiVersion: gpuc/v1alpha1
kind: GPUStack
namespace: nvidia-gpu-operator
kubernetes: {version: "1.34"}
platform: {os: talos, version: v1.13.3}
runtimeClass: {name: nvidia, handler: nvidia}
nodeFeatureDiscovery:
  version: v0.19.0
gpuFeatureDiscovery: {enabled: true}
devicePlugin:
  version: v0.20.0
  deviceDiscoveryStrategy: nvml
  deviceListStrategy: [envvar]
dcgmExporter:
  version: 4.5.3-4.8.2-distroless
  serviceMonitor: {enabled: true}
"""
OVERLAY_TEXT = """\
apiVersion: gpuc/v1alpha1
kind: Overlay
cluster: homelab
nodePools:
  - name: worker4
    nodes: [{name: k8s-worker4, address: 192.168.1.224}]
    taints: [{key: dedicated, value: ai, effect: NoSchedule}]
    gpu: {product: NVIDIA GeForce RTX 5070 Ti, count: 1, memory: 16Gi}
    sharing: {strategy: time-slicing, replicas: 5}
    mig: {strategy: none}
workloads:
  - {name: ollama, namespace: ollama, vram: 6Gi}
"""
TEXTS = {STACK: STACK_TEXT, OVERLAY: OVERLAY_TEXT}
SENTINEL = "out/base/kept.yaml"


def edited(path: str, old: str, new: str) -> str:
    """Return an input with one passage exchanged; the passage must be there exactly once."""
    text = TEXTS[path]
    assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in {path}"
    return text.replace(old, new)


def write(root: Path, files: Mapping[str, str | bytes] | None = None) -> Path:
    """Write the project below `root`, with `files` over its own, and an out/ that must stay as it is."""
    for name, content in ({**TEXTS, SENTINEL: "kept: true\n"} | dict(files or {})).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    return root


@dataclass(frozen=True)
class Result:
    """What a run said and did."""

    code: int
    stdout: str
    stderr: str

    @property
    def findings(self) -> list[dict[str, Any]]:
        """The findings of a run with `--format json`."""
        found: list[dict[str, Any]] = json.loads(self.stdout)["findings"]
        return found


def gpuc(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Result:
    """Run the command line in this process."""
    capsys.readouterr()
    code = run([str(argument) for argument in arguments])
    said = capsys.readouterr()
    return Result(code, said.out, said.err)


@dataclass(frozen=True)
class Broken:
    """An input with one mistake, and what must be said about it.

    `text` holds § in front of the character that the finding must point to. `says` are parts of message and help.
    """

    id: str
    path: str
    text: str | bytes
    rule: str
    says: tuple[str, ...]
    at: tuple[int, int] | None = None
    """Line and column, where the text cannot hold a mark."""
    also: tuple[tuple[str, str], ...] = ()
    """Other files of the project, by path."""

    @property
    def content(self) -> str | bytes:
        """The input without its mark."""
        return self.text.replace(MARK, "", 1) if isinstance(self.text, str) else self.text

    @property
    def place(self) -> tuple[int, int]:
        """Line and column that the finding must name."""
        if self.at:
            return self.at
        assert isinstance(self.text, str)
        before = self.text.partition(MARK)[0]
        assert before != self.text, f"{self.id} has no mark"
        return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def stack(id_: str, old: str, new: str, rule: str, *says: str, at: tuple[int, int] | None = None) -> Broken:
    """Return the stack with one passage exchanged; `new` holds the mark."""
    return Broken(id_, STACK, edited(STACK, old, new), rule, says, at)


def overlay(id_: str, old: str, new: str, rule: str, *says: str, at: tuple[int, int] | None = None) -> Broken:
    """Return the overlay with one passage exchanged; `new` holds the mark."""
    return Broken(id_, OVERLAY, edited(OVERLAY, old, new), rule, says, at)
