"""Runs cases of rules on inputs: a mistake with its place, and the twin that passes."""

from __future__ import annotations

from pathlib import Path

from compiler.check import check
from compiler.diagnostics import Diagnostic, Severity
from compiler.pipeline import read
from tests.check.inputs.cases import Case
from tests.inputs.project import OVERLAY, STACK, edited, write

GPU = "gpu: {product: NVIDIA GeForce RTX 5070 Ti, count: 1, memory: 16Gi}"
SHARING = "sharing: {strategy: time-slicing, replicas: 5}"
MIG = "    mig: {strategy: none}\n"
WORKLOADS = "  - {name: ollama, namespace: ollama, vram: 6Gi}\n"


def found(root: Path, files: dict[str, str]) -> list[Diagnostic]:
    """Return what the rules on inputs find in the small project with some files exchanged."""
    return check(read(write(root, files))).diagnostics


def on_stack(id_: str, rule: str, old: str, new: str, *says: str, mended: str | None = None) -> Case:
    """Return a case that exchanges a passage of the stack; `mended` is put there for the twin."""
    return Case(
        id_, rule, {STACK: edited(STACK, old, new)}, says, {} if mended is None else {STACK: edited(STACK, old, mended)}
    )


def on_overlay(id_: str, rule: str, changes: dict[str, str], *says: str, mended: dict[str, str] | None = None) -> Case:
    """Return a case that exchanges passages of the overlay; `mended` are the passages of the twin."""
    return Case(id_, rule, {OVERLAY: _changed(changes)}, says, {OVERLAY: _changed(mended)} if mended else {})


def _changed(changes: dict[str, str]) -> str:
    text = edited(OVERLAY, "cluster: homelab", "cluster: homelab")
    for old, new in changes.items():
        assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in the overlay"
        text = text.replace(old, new)
    return text


def assert_found(case: Case, root: Path, severity: Severity) -> Diagnostic:
    """Check that exactly the case's mistake is found, at its mark; return the finding."""
    (diagnostic,) = found(root, case.contents)
    assert (diagnostic.rule, diagnostic.severity) == (case.rule, severity)
    assert diagnostic.place is not None
    assert (diagnostic.place.path, diagnostic.place.line, diagnostic.place.column) == case.place
    said = f"{diagnostic.message} {diagnostic.help}"
    assert [part for part in case.says if part not in said] == []
    assert diagnostic.help
    assert not diagnostic.help.endswith(".")
    return diagnostic


def assert_twin_passes(case: Case, root: Path) -> None:
    """Check that nothing is found after the cure; without files of its own the twin is the project itself."""
    assert found(root, {**case.contents, **case.mended} if case.mended else {}) == []
