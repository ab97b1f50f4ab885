"""Rules on what will be applied: a hand-written patch is caught at its own line, a setting at the input's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.inputs.project import MARK, OVERLAY, OVERLAY_TEXT, STACK, edited, gpuc, write

PATCH = "overlays/worker4/patch.yaml"
JSON_PATCH = "overlays/worker4/patch.json"
HEAD = """\
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: nvidia-device-plugin
  namespace: nvidia-gpu-operator
spec:
  template:
    spec:
"""
BY_NAME = "{path: patch.yaml}"
BY_TARGET = "{path: patch.yaml, target: {kind: DaemonSet, name: nvidia-device-plugin.*}}"
AS_JSON = "{path: patch.json, target: {kind: DaemonSet, name: nvidia-device-plugin.*}}"


@dataclass(frozen=True)
class Patched:
    """A patch with § in front of what the findings must point to, and the rules that find something there."""

    id: str
    entry: str
    text: str
    rules: frozenset[str]

    @property
    def path(self) -> str:
        return JSON_PATCH if self.entry == AS_JSON else PATCH

    @property
    def place(self) -> str:
        before = self.text.partition(MARK)[0]
        return f"{self.path}:{before.count(chr(10)) + 1}:{len(before) - (before.rfind(chr(10)) + 1) + 1}"


def _patch(id_: str, text: str, *rules: str, entry: str = BY_NAME) -> Patched:
    return Patched(id_, entry, text, frozenset(rules))


PATCHES = (
    _patch("tolerations-emptied", f"{HEAD}      §tolerations: []\n", "GPU203"),
    _patch("tolerations-removed", f"{HEAD}      §tolerations: null\n", "GPU203"),
    _patch("tolerations-removed-by-a-target", f"{HEAD}      §tolerations: null\n", "GPU203", entry=BY_TARGET),
    _patch(
        "tolerations-of-another-value",
        f"{HEAD}      §tolerations:\n        - {{key: dedicated, value: gpu, effect: NoSchedule}}\n",
        "GPU203",
    ),
    _patch(
        "tolerations-replaced-in-json",
        '[\n  {"op": "replace", "path": "/spec/template/spec/tolerations",\n   "value": §[]}\n]\n',
        "GPU203",
        entry=AS_JSON,
    ),
    _patch(
        "tolerations-removed-in-json",
        '[\n  {"op": "test", "path": "/kind", "value": "DaemonSet"},\n'
        '  {"op": "remove", "path": §"/spec/template/spec/tolerations"}\n]\n',
        "GPU203",
        entry=AS_JSON,
    ),
)

OTHERS = (
    _patch("runtime-class-removed", f"{HEAD}      §runtimeClassName: null\n", "GPU206"),
    _patch("another-runtime-class", f"{HEAD}      runtimeClassName: §nvidia-cdi\n", "GPU207"),
    _patch("node-selector-removed", f"{HEAD}      §nodeSelector: null\n      affinity: null\n", "GPU205"),
    _patch(
        "one-variable-added",
        f"{HEAD}      containers:\n        - name: nvidia-device-plugin\n          env:\n"
        "            - {name: HTTP_PROXY, value: proxy}\n            - {name: MIG_STRATEGY, value: §mixed}\n",
        "GPU238",
    ),
    _patch(
        "label-removed-from-the-namespace",
        "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: nvidia-gpu-operator\n  labels:\n"
        "    §pod-security.kubernetes.io/enforce: null\n",
        "GPU225",
    ),
    _patch(
        "configuration-replaced",
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: nvidia-device-plugin-config-worker4\n"
        "  namespace: nvidia-gpu-operator\ndata:\n  config.yaml: §'{version: v1, sharing: {time-slicing: {}}}'\n",
        "GPU303",
    ),
)


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.id)
def test_a_patch_that_drops_a_toleration_is_caught_at_its_line(
    patch: Patched, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {patch.path: patch.text.replace(MARK, ""), OVERLAY: f"{OVERLAY_TEXT}patches: [{patch.entry}]\n"}
    result = gpuc(capsys, "compile", "--root", write(tmp_path, files), "--format", "json")
    assert result.code == 1
    found = {
        (item["rule"], "{path}:{line}:{column}".format(**item["place"]))
        for item in result.findings
        if item["severity"] == "error"
    }
    assert found == {(rule, patch.place) for rule in patch.rules}


@pytest.mark.parametrize("patch", OTHERS, ids=lambda patch: patch.id)
def test_any_patch_that_breaks_the_stack_is_caught_at_its_line(
    patch: Patched, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {patch.path: patch.text.replace(MARK, ""), OVERLAY: f"{OVERLAY_TEXT}patches: [{patch.entry}]\n"}
    result = gpuc(capsys, "compile", "--root", write(tmp_path, files), "--format", "json")
    found = {
        (item["rule"], "{path}:{line}:{column}".format(**item["place"]))
        for item in result.findings
        if item["rule"] in patch.rules
    }
    assert found == {(rule, patch.place) for rule in patch.rules}


def test_a_harmless_patch_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = f"{HEAD}      terminationGracePeriodSeconds: 5\n"
    files = {PATCH: text, OVERLAY: f"{OVERLAY_TEXT}patches: [{BY_NAME}]\n"}
    result = gpuc(capsys, "compile", "--root", write(tmp_path, files), "--format", "json")
    assert (result.code, result.findings) == (0, [])


def test_a_finding_without_a_patch_names_the_setting_it_follows_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stack = edited(STACK, "{name: nvidia, handler: nvidia}", "{name: nvidia, handler: kata}")
    result = gpuc(capsys, "compile", "--root", write(tmp_path, {STACK: stack}), "--format", "json")
    assert [(item["rule"], "{path}:{line}".format(**item["place"])) for item in result.findings] == [
        ("GPU208", f"{STACK}:6")
    ]


def test_a_setting_of_a_component_is_named_with_its_column(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    env = "env: [{name: A, value: b}, {name: NVIDIA_XYZZY, value: c}]"
    stack = edited(STACK, "deviceListStrategy: [envvar]", f"deviceListStrategy: [envvar]\n  {env}")
    result = gpuc(capsys, "compile", "--root", write(tmp_path, {STACK: stack}), "--format", "json")
    found = [(item["rule"], "{path}:{line}:{column}".format(**item["place"])) for item in result.findings]
    assert found == [("GPU237", f"{STACK}:14:37")]
