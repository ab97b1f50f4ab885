"""Selectors mean to gpuc what they mean to Kustomize."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compiler.kustomize.labelselector import matches_labels, parse_selector
from compiler.objects import Obj
from compiler.validate import Toolset
from tests.kustomize.batch import kustomize, run

LABELS = {
    "bare": {},
    "app": {"app": "x", "tier": "front"},
    "other": {"app": "y", "tier": "", "n": "7"},
    "prefixed": {"example.com/app": "x", "n": "-3"},
}
# What apimachinery's grammar says; the test below asks kustomize itself.
SELECTORS = {
    "": ["app", "bare", "other", "prefixed"],
    "app": ["app", "other"],
    "!app": ["bare", "prefixed"],
    "! app": ["bare", "prefixed"],
    "app=x": ["app"],
    "app==x": ["app"],
    " app = x ": ["app"],
    "app!=x": ["bare", "other", "prefixed"],
    "app=x,tier=front": ["app"],
    "app=x,tier=back": [],
    "tier=": ["other"],
    "tier!=": ["app", "bare", "prefixed"],
    "app in (x)": ["app"],
    "app in (x,y)": ["app", "other"],
    "app in ( x , y ),tier": ["app", "other"],
    "app in(x, z)": ["app"],
    "app notin (x)": ["bare", "other", "prefixed"],
    "tier in ()": ["other"],
    "tier in (front,)": ["app", "other"],
    "tier in (,front)": ["app", "other"],
    "example.com/app": ["prefixed"],
    "example.com/app in (x),!tier": ["prefixed"],
    "n>6": ["other"],
    "n<8": ["other", "prefixed"],
    "n > 7": [],
    "in": [],
    "in=x": [],
}
MALFORMED = [
    "app=x,",
    ",app",
    "app=x y",
    "app x",
    "app in x",
    "app in (x",
    "app in (x y)",
    "app in x)",
    "xin(a)",
    "app=!x",
    "!app=x",
    "!!app",
    "=x",
    "app===x",
    "app=-x",
    "-app",
    "Example.com/app",
    "a/b/c",
    "app=x_",
    "n>x",
    "n>",
    "app in ((x))",
    "app\u00e9",
    f"app={'x' * 64}",
    f"{'x' * 64}",
]


@pytest.mark.parametrize(("selector", "matched"), SELECTORS.items())
def test_a_selector_matches_what_its_grammar_says(selector: str, matched: list[str]) -> None:
    assert sorted(name for name, labels in LABELS.items() if matches_labels(selector, labels)) == matched


@pytest.mark.parametrize("selector", MALFORMED)
def test_a_malformed_selector_is_refused(selector: str) -> None:
    with pytest.raises(ValueError, match=r"stands where|is not|is missing"):
        parse_selector(selector)


def configs() -> dict[str, Obj]:
    return {
        f"{name}.yaml": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": dict(labels)}}
        for name, labels in LABELS.items()
    }


def patch(mark: str) -> bytes:
    return json.dumps([{"op": "add", "path": "/metadata/annotations", "value": {"mark": mark}}]).encode()


def test_kustomize_takes_every_selector_for_the_same(tools: Toolset, tmp_path: Path) -> None:
    # An empty selector is as good as none, and Kustomize wants something in a target.
    entries = [
        {"target": {"kind": "ConfigMap", "labelSelector": selector}, "path": f"{index}.json"}
        for index, selector in enumerate(SELECTORS)
    ]
    patches = {
        f"{index}.json": json.dumps([{"op": "add", "path": f"/data/m{index}", "value": "here"}]).encode()
        for index in range(len(SELECTORS))
    }
    files = {name: {**obj, "data": {"always": "here"}} for name, obj in configs().items()}
    built = kustomize(tools, tmp_path, {"resources": sorted(files), "patches": entries}, {**files, **patches})
    marks = {
        selector: sorted(obj["metadata"]["name"] for obj in built if f"m{index}" in obj["data"])
        for index, selector in enumerate(SELECTORS)
    }
    assert marks == SELECTORS


@pytest.mark.parametrize("selector", MALFORMED[:13])
def test_kustomize_refuses_malformed_selectors_too(selector: str, tools: Toolset, tmp_path: Path) -> None:
    entry = {"target": {"kind": "ConfigMap", "labelSelector": selector}, "path": "p.json"}
    files = {**configs(), "p.json": patch("x")}
    done = run(tools, tmp_path, {"resources": sorted(configs()), "patches": [entry]}, files)
    assert done.returncode != 0
