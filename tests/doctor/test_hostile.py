"""Saved answers come from anywhere: no shape, size or text of theirs may end in a traceback or mislead."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compiler.doctor import Case, as_text, diagnose, saved
from compiler.doctor.decode import DEEPEST
from compiler.doctor.snapshot import Snapshot, by_kind
from tests.doctor.cluster import NODE, Cluster, healthy, project
from tests.doctor.faults import FAULTS
from tests.inputs.project import Result, gpuc

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path / "repository")


@pytest.fixture
def folder(root: Path, tmp_path: Path) -> Path:
    return healthy(root).save(tmp_path / "saved")


def doctor(capsys: Capture, root: Path, folder: Path) -> Result:
    return gpuc(capsys, "doctor", "--root", root, "--from", folder)


def test_control_characters_of_the_cluster_never_reach_the_terminal(
    root: Path, tmp_path: Path, capsys: Capture
) -> None:
    cluster = healthy(root)
    FAULTS["node-not-ready"].damage(cluster)
    cluster.get("Node", NODE)["status"]["conditions"][0]["message"] = "\x1b[2J\x1b]0;pwned\x07 \u202egone"
    shown = doctor(capsys, root, cluster.save(tmp_path / "saved")).stdout
    assert all(char == "\n" or char.isprintable() for char in shown)
    assert "\\x1b[2J" in shown


def test_words_of_the_cluster_cannot_pose_as_lines_of_the_report(root: Path, tmp_path: Path, capsys: Capture) -> None:
    cluster = healthy(root)
    FAULTS["node-not-ready"].damage(cluster)
    cluster.get("Node", NODE)["status"]["conditions"][0]["message"] = "fine\n\nThe whole chain holds."
    lines = doctor(capsys, root, cluster.save(tmp_path / "saved")).stdout.splitlines()
    assert "The whole chain holds." not in lines


def test_words_of_the_cluster_are_cut(root: Path, tmp_path: Path, capsys: Capture) -> None:
    cluster = healthy(root)
    FAULTS["node-not-ready"].damage(cluster)
    cluster.get("Node", NODE)["status"]["conditions"][0]["message"] = "x" * 100_000
    assert len(doctor(capsys, root, cluster.save(tmp_path / "saved")).stdout) < 10_000


def test_what_a_shell_obeys_is_quoted_in_commands(root: Path, tmp_path: Path, capsys: Capture) -> None:
    cluster = healthy(root)
    cluster.get("Node", NODE)["spec"]["taints"].append({"key": "a;reboot", "effect": "NoSchedule"})
    shown = doctor(capsys, root, cluster.save(tmp_path / "saved")).stdout
    assert f"kubectl taint node {NODE} 'a;reboot:NoSchedule-'" in shown


def test_an_address_of_the_cluster_that_is_none_is_not_typed(root: Path, tmp_path: Path, capsys: Capture) -> None:
    overlay = root / "overlays/worker4/overlay.yaml"
    overlay.write_text(overlay.read_text(encoding="utf-8").replace(", address: 192.168.1.224", ""), encoding="utf-8")
    cluster = healthy(root)
    FAULTS["node-not-ready"].damage(cluster)
    cluster.get("Node", NODE)["status"]["addresses"][0]["address"] = "1.2.3.4; reboot"
    shown = doctor(capsys, root, cluster.save(tmp_path / "saved")).stdout
    assert f"talosctl logs kubelet --nodes {NODE}\n" in shown


def test_an_object_whose_name_is_no_name_is_left_out_and_said_so(root: Path, tmp_path: Path, capsys: Capture) -> None:
    cluster = healthy(root)
    cluster.objects.append({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "$(reboot)", "namespace": "a"}})
    shown = doctor(capsys, root, cluster.save(tmp_path / "saved")).stdout
    assert "note: 1 objects in pods.json have no good name: they were left out\n" in shown
    assert "reboot" not in shown


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "it is not JSON"),
        ("\x00\xff", "it is not JSON"),
        ("[1]", "it is not what kubectl prints"),
        ("[" * 100_000, f"it is nested deeper than {DEEPEST} levels"),
        ("[" * 500 + "]" * 500, f"it is nested deeper than {DEEPEST} levels"),
        ('{"kind": "List", "items": [' + "9" * 5000 + "]}", "it is not JSON"),
    ],
    ids=["cut-off", "binary", "list", "bottomless", "deep", "long-number"],
)
def test_a_file_that_is_no_answer_is_noted(text: str, why: str, root: Path, folder: Path, capsys: Capture) -> None:
    (folder / "more.json").write_text(text, encoding="latin-1")
    result = doctor(capsys, root, folder)
    assert result.code == 0
    assert f"note: more.json was not read: {why}" in result.stdout


def test_secrets_are_left_out_and_said_so(root: Path, folder: Path, capsys: Capture) -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "a"}, "data": {"k": "aGk="}}
    (folder / "all.json").write_text(json.dumps({"kind": "List", "items": [secret]}), encoding="utf-8")
    result = doctor(capsys, root, folder)
    assert (result.code, "all.json holds Secrets, which doctor never needs" in result.stdout) == (0, True)
    assert "aGk=" not in result.stdout


def test_what_looks_like_a_secret_is_left_out(root: Path, folder: Path, capsys: Capture) -> None:
    disguised = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "s", "namespace": "a"},
        "type": "Opaque",
        "data": {"k": "aGk="},
    }
    (folder / "all.json").write_text(json.dumps(disguised), encoding="utf-8")
    assert "all.json holds Secrets" in doctor(capsys, root, folder).stdout


def test_a_link_is_not_followed(root: Path, folder: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "elsewhere.json").write_text("{}", encoding="utf-8")
    (folder / "link.json").symlink_to(tmp_path / "elsewhere.json")
    assert "note: link.json is no plain file\n" in doctor(capsys, root, folder).stdout


def test_a_pipe_is_not_waited_for(root: Path, folder: Path, capsys: Capture) -> None:
    os.mkfifo(folder / "pipe.json")
    assert "note: pipe.json is no plain file\n" in doctor(capsys, root, folder).stdout


def test_a_large_file_is_not_read(root: Path, folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved, "LARGEST", 100_000)
    (folder / "large.json").write_bytes(b" " * 100_001)
    assert "note: large.json is larger than 0 MiB\n" in doctor(capsys, root, folder).stdout


def test_many_files_are_not_read(root: Path, folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved, "MOST_FILES", 3)
    assert "note: only the first 3 files were read\n" in doctor(capsys, root, folder).stdout


def test_a_folder_without_answers_is_a_usage_error(root: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "empty").mkdir()
    result = doctor(capsys, root, tmp_path / "empty")
    assert (result.code, result.stdout) == (2, "")


_OTHERS: tuple[Any, ...] = (None, [], {}, "x", 7, [None, "x", 7, [], {}], {"x": None})


def _wrong_shapes(value: Any) -> Iterator[Any]:
    """Yield copies of a value in which one part has another type."""
    if isinstance(value, dict):
        for key, inner in value.items():
            for other in _OTHERS:
                yield {**value, key: other}
            for shape in _wrong_shapes(inner):
                yield {**value, key: shape}
    elif isinstance(value, list) and value:
        for shape in _wrong_shapes(value[0]):
            yield [shape, *value[1:]]


_VARIED = {
    "ConfigMap": "nvidia-device-plugin-config-worker4-",
    "DaemonSet": "nvidia-device-plugin-worker4",
    "Deployment": "nfd-master",
    "Event": "trial-7.17d2",
    "GitRepository": "flux-system",
    "Kustomization": "gpu-stack",
    "Namespace": "nvidia-gpu-operator",
    "Node": NODE,
    "NodeFeature": NODE,
    "NodeFeatureRule": "nvidia-gpu-present",
    "Pod": "nvidia-device-plugin-worker4-4x7k2",
    "RuntimeClass": "nvidia",
    "ServiceMonitor": "dcgm-exporter",
}


@pytest.mark.parametrize(("kind", "name"), [*_VARIED.items(), ("Pod", "comfyui-0")])
def test_no_shape_of_an_object_makes_it_fail(kind: str, name: str, root: Path) -> None:
    cluster = healthy(root)
    for fault in ("over-quota", "all-slices-taken", "nvml"):
        FAULTS[fault].damage(cluster)
    index = next(
        index
        for index, obj in enumerate(cluster.objects)
        if obj["kind"] == kind and obj["metadata"]["name"].startswith(name)
    )
    for shape in _wrong_shapes(cluster.objects[index]):
        everything = [*cluster.objects[:index], shape, *cluster.objects[index + 1 :]]
        assert as_text(diagnose(_case(cluster, everything))).startswith("worker4, from ")


def _case(cluster: Cluster, objects: list[Any]) -> Case:
    known = dict.fromkeys(by_kind(cluster.objects), ())
    logs = {"": copy.copy(cluster.logs["device-plugin-previous.log"])}
    return Case(cluster.expected, Snapshot("a test", {**known, **by_kind(objects)}, logs=logs))
